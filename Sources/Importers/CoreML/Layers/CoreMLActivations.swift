import Forge
import ForgeMessages

/// The functions of the layer `activation`.
enum CoreMLActivations {
  static func apply(_ call: inout CoreMLCall, _ layer: CoreMLActivation) throws {
    switch layer.kind {
    case .linear(let pair): try call.map(Scale(pair.alpha, bias: pair.beta))
    case .reLu: try call.map(Activation(.relu))
    case .leakyReLu(let pair): try call.map(Activation(.leakyReLU(slope: pair.alpha)))
    case .thresholdedReLu(let pair): try call.map(Unary(.thresholdedReLU(alpha: pair.alpha)))
    case .preLu(let slopes): try prelu(&call, slopes)
    case .tanh: try call.map(Activation(.tanh))
    case .scaledTanh(let pair):
      try call.map(Scale(pair.beta), Activation(.tanh), Scale(pair.alpha))
    case .sigmoid: try call.map(Activation(.sigmoid))
    case .sigmoidHard(let pair):
      try call.map(Activation(.hardSigmoidLinear(alpha: pair.alpha, beta: pair.beta)))
    case .elu(let pair): try call.map(Activation(.elu(alpha: pair.alpha)))
    case .softsign: try call.map(Unary(.softsign))
    case .softplus: try call.map(Activation(.softplus))
    case .parametricSoftplus(let slopes): try parametricSoftplus(&call, slopes)
    case nil: throw NodeFailure.unsupported("an unknown function")
    }
  }

  /// One value, or one per channel.
  private static func perChannel(_ weights: CoreMLWeights, channels: Int) throws -> [Float] {
    let isSingle =
      weights.floatValue.count == 1 || weights.float16Value.count == 2
      || (weights.rawValue.count == 1 && channels > 8)
    return try weights.tensor([isSingle ? 1 : channels]).floats()
  }

  private static func prelu(_ call: inout CoreMLCall, _ slopes: CoreMLSlopes) throws {
    let input = try call.image()
    guard let channels = input.tensor.channels else {
      throw NodeFailure.invalid("an unknown number of channels")
    }
    let values = try perChannel(slopes.alpha, channels: channels)
    if values.count == 1 { return try call.mapImage(Activation(.leakyReLU(slope: values[0]))) }
    call.parameter(.slopes, HostTensor(floats: values, sizes: [channels]))
    try call.mapImage(PReLU(name: call.name))
  }

  private static func parametricSoftplus(
    _ call: inout CoreMLCall, _ slopes: CoreMLSlopes
  ) throws {
    let input = try call.image()
    guard let channels = input.tensor.channels else {
      throw NodeFailure.invalid("an unknown number of channels")
    }
    let alpha = try perChannel(slopes.alpha, channels: channels)
    let beta = try perChannel(slopes.beta, channels: channels)
    let scaled = try call.apply(Scale(by: beta), to: input.tensor)
    let positive = try call.apply(Activation(.softplus), to: scaled)
    call.setImage(try call.apply(Scale(by: alpha), to: positive), rank: input.rank)
  }
}
