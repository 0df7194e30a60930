import Forge

/// What the models of `ai.onnx.ml` do to the scores of classes or targets.
enum ONNXPostTransform: String {
  case none = "NONE"
  case logistic = "LOGISTIC"
  case softmax = "SOFTMAX"
  case softmaxZero = "SOFTMAX_ZERO"

  /// That of a node.
  static func stated(_ call: ONNXCall) throws -> ONNXPostTransform {
    let name = call.node.string("post_transform", "NONE")
    guard let transform = ONNXPostTransform(rawValue: name) else {
      throw NodeFailure.unsupported("post_transform \(name)")
    }
    return transform
  }

  /// The scores, along the last axis, after the transform.
  func applied(to scores: Tensor, in call: ONNXCall) throws -> Tensor {
    switch self {
    case .none: return scores
    case .logistic: return try call.apply(Activation(.sigmoid), to: scores)
    case .softmax: return try call.apply(Softmax(), to: scores)
    case .softmaxZero:
      // Scores of 0 stay 0 and are not part of the sum.
      let largest = try call.apply(
        Reduce(.maximum, axes: [-1], keepsDimensions: true), to: scores)
      let shifted = try call.apply(Subtract(), to: scores, largest)
      let powers = try call.apply(Unary(.exponential), to: shifted)
      let magnitudes = try call.apply(Unary(.absolute), to: scores)
      let isThere = try call.apply(Compare(.greater, than: [1e-7]), to: magnitudes)
      let kept = try call.apply(Multiply(), to: powers, isThere)
      let sum = try call.apply(Reduce(.sum, axes: [-1], keepsDimensions: true), to: kept)
      return try call.apply(Divide(), to: kept, sum)
    }
  }
}
