import Forge

extension CoreMLLayerType {
  /// The layer `activation`, whose function is one of its fields.
  static let activations: [CoreMLLayerType] = [
    CoreMLLayerType("activation", field: 130, activate)
  ]

  /// Fields of `ActivationParams`.
  enum ActivationField {
    static let (linear, reLU, leakyReLU, thresholdedReLU, preLU) = (5, 10, 15, 20, 25)
    static let (tanh, scaledTanh, sigmoid, sigmoidHard, elu) = (30, 31, 40, 41, 50)
    static let (softsign, softplus, parametricSoftplus) = (60, 70, 71)
  }

  private static func activate(_ call: inout CoreMLCall) throws {
    typealias Field = ActivationField
    let kind = call.fields.last { (Field.linear...Field.parametricSoftplus).contains($0) }
    let fields = try kind.flatMap { try call.fields.message($0) }
    let (alpha, beta) = try numbers(of: kind, fields)
    let attribute = ["alpha": NodeAttribute.float(alpha)]
    switch kind {
    case Field.linear: call.set(try affine(&call, try call.value(), alpha, beta))
    case Field.reLU: try call.map("Relu")
    case Field.leakyReLU: try call.map("LeakyRelu", [], attribute)
    case Field.thresholdedReLU:
      let (input, least) = (try call.value(), FileValue.number(alpha))
      let isKept = try call.node("GreaterOrEqual", [input, least])
      call.set(try call.node("Where", [isKept, input, .number(0)]))
    case Field.preLU:
      let slopes = try perChannel(call, fields?.message(1))
      guard slopes.count > 1 else {
        return try call.map("LeakyRelu", [], ["alpha": .float(try slopes.floats()[0])])
      }
      try call.mapImage("PRelu", [.host(slopes)])
    case Field.tanh: try call.map("Tanh")
    case Field.scaledTanh:
      let inner = try affine(&call, try call.value(), beta, 0)
      call.set(try affine(&call, try call.node("Tanh", [inner]), alpha, 0))
    case Field.sigmoid: try call.map("Sigmoid")
    case Field.sigmoidHard:
      try call.map("HardSigmoid", [], attribute.merging(["beta": .float(beta)]) { $1 })
    case Field.elu: try call.map("Elu", [], attribute)
    case Field.softsign: try call.map("Softsign")
    case Field.softplus: try call.map("Softplus")
    case Field.parametricSoftplus:
      let factors = try [1, 2].map { FileValue.host(try perChannel(call, fields?.message($0))) }
      let inner = try call.node("Mul", [try call.image(), factors[1]])
      let positive = try call.node("Softplus", [inner])
      try call.set(image: try call.node("Mul", [positive, factors[0]]))
    default: throw NodeFailure.unsupported("an unknown function")
    }
  }

  /// The numbers alpha and beta of a function; 0 where it has none.
  static func numbers(
    of kind: Int?, _ fields: WireFields?
  ) throws -> (alpha: Float, beta: Float) {
    // Of these two fields are messages of slopes.
    guard let fields, ![ActivationField.preLU, ActivationField.parametricSoftplus].contains(kind)
    else { return (0, 0) }
    return (try fields.float(1), try fields.float(2))
  }

  /// `factor · x + bias`.
  static func affine(
    _ call: inout CoreMLCall, _ value: FileValue, _ factor: Float, _ bias: Float
  ) throws -> FileValue {
    var result = value
    if factor != 1 { result = try call.node("Mul", [result, .number(factor)]) }
    if bias != 0 { result = try call.node("Add", [result, .number(bias)]) }
    return result
  }

  /// One value, or one per channel of the first input.
  private static func perChannel(_ call: CoreMLCall, _ fields: WireFields?) throws -> HostTensor {
    let weights = try CoreMLWeights(fields)
    let channels = try call.image().sizes[1]
    return try weights.tensor([weights.isSingle(of: channels) ? 1 : channels, 1, 1])
  }
}
