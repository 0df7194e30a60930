import Forge

extension ONNXOperators {
  /// The losses of classifiers, as files of trained networks have them beside their answers.
  static let losses: [ONNXOperator] = [
    loss("NegativeLogLikelihoodLoss", import: likelihoodLoss),
    loss("SoftmaxCrossEntropyLoss", import: entropyLoss),
  ]

  /// A loss of scores `[examples, classes, …]`, which all its examples share.
  private static func loss(_ type: String, import: @escaping ONNXOperator.Import) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: .none, bounds: nil, length: .refused, sizes: .none,
      examples: .mixed)
  }

  private static func likelihoodLoss(_ call: inout ONNXCall) throws {
    call.set(try loss(of: try call.value(0), &call))
  }

  private static func entropyLoss(_ call: inout ONNXCall) throws {
    let logarithms = try call.part("LogSoftmax", [try call.value(0)], ["axis": .int(1)])
    call.set(try loss(of: logarithms, &call))
    call.set(logarithms, output: 1)
  }

  /// `−weight(class) · x(class)` of each target class, and their sum or weighted mean.
  ///
  /// A target that is `ignore_index` counts nowhere.
  private static func loss(of scores: FileValue, _ call: inout ONNXCall) throws -> FileValue {
    let rank = scores.sizes.count
    var expected = scores.sizes
    guard rank >= 2 else { throw NodeFailure.invalid("scores of \(scores.sizes)") }
    let classes = expected.remove(at: 1)
    let target = try call.value(1)
    guard target.sizes == expected else {
      throw NodeFailure.invalid("targets of \(target.sizes) for scores of \(scores.sizes)")
    }
    // A number for each class, beside the axes of the scores.
    let sizes = [classes] + Array(repeating: 1, count: rank - 2)
    let names = HostTensor(integers: (0..<classes).map { Int64($0) }, sizes: sizes)
    let one = FileValue.integers([1])
    var isTarget = try call.part(
      "Equal", [try call.part("Unsqueeze", [target, one]), .host(names)])
    let ignored = call.node.has("ignore_index") ? call.node.int("ignore_index") : nil
    if let ignored, (0..<classes).contains(ignored) {
      let counts = (0..<classes).map { Int64($0 == ignored ? 0 : 1) }
      isTarget = try call.part(
        "And", [isTarget, .host(HostTensor(integers: counts, sizes: sizes, type: .bool))])
    }
    let weights = try call.optional(2)?.reshaped(to: sizes)
    let zero = FileValue.number(0)
    let weighted = try weights.map { try call.part("Mul", [scores, $0]) } ?? scores
    let selected = try call.part("Where", [isTarget, weighted, zero])
    let losses = try call.part(
      "Neg", [try call.part("ReduceSum", [selected, one], ["keepdims": .int(0)])])
    let reduction = call.node.string("reduction", "mean")
    guard reduction != "none" else { return losses }
    let total = try call.part(
      "ReduceSum", [losses], ["keepdims": .int(0)], name: "\(call.layerName)/total")
    switch reduction {
    case "sum": return total
    case "mean":
      let counted = try call.part(
        "Where", [isTarget, weights ?? .number(1), zero], name: "\(call.layerName)/counted")
      let count = try call.part(
        "ReduceSum", [counted], ["keepdims": .int(0)], name: "\(call.layerName)/count")
      return try call.part("Div", [total, count])
    default: throw NodeFailure.invalid("a reduction \"\(reduction)\"")
    }
  }
}
