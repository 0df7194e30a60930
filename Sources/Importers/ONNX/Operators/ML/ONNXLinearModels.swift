import Forge

/// `LinearRegressor` and `LinearClassifier`.
enum ONNXLinearModels {
  static let all: [ONNXOperator] = [
    ONNXFeatures.operation("LinearRegressor", regress),
    ONNXOperator(
      "LinearClassifier", domain: ONNXFeatures.domain, import: classify, fold: .none,
      bounds: ONNXLabels.bound(ofLabels: "classlabels_ints"), length: .refused, sizes: .none,
      examples: .apart(labelled)),
  ]

  /// A label and scores for each row of features.
  static func labelled(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    guard try node.rank(0) == 2 else { throw ONNXOpenNode.Mixes() }
    return node.all(try node.apart(from: [1]))
  }

  /// `x · w + b` of `outputs` rows of coefficients.
  private static func product(
    _ call: inout ONNXCall, outputs: Int
  ) throws -> FileTensor {
    let input = try ONNXFeatures.features(call)
    guard input.rank == 2 else { throw NodeFailure.unsupported("features of sizes \(input.sizes)") }
    let count = input.sizes[1]
    let weights = call.node.floats("coefficients") ?? []
    guard outputs >= 1, weights.count == count.multipliedSaturated(by: outputs) else {
      throw NodeFailure.invalid("\(weights.count) coefficients for \(outputs) × \(count)")
    }
    var bias: HostTensor?
    if let stated = call.node.floats("intercepts"), !stated.isEmpty {
      guard stated.count == outputs else {
        throw NodeFailure.invalid("\(stated.count) intercepts for \(outputs)")
      }
      bias = HostTensor(floats: stated, sizes: [outputs])
    }
    try ONNXOperators.dense(
      &call, input, HostTensor(floats: weights, sizes: [outputs, count]), isTransposed: true,
      bias: bias)
    guard case .network(let result)? = call.outputs[0] else {
      throw NodeFailure.invalid("no result")
    }
    return result
  }

  private static func regress(_ call: inout ONNXCall) throws {
    guard try ONNXPostTransform.stated(call) == .none else {
      throw NodeFailure.unsupported("post_transform \(call.node.string("post_transform"))")
    }
    call.set(try product(&call, outputs: call.node.int("targets", 1)))
  }

  private static func classify(_ call: inout ONNXCall) throws {
    let transform = try ONNXPostTransform.stated(call)
    let classes = try ONNXLabels.classNames(call, integers: "classlabels_ints").count
    let intercepts = call.node.floats("intercepts")?.count ?? 0
    let outputs = intercepts > 0 ? intercepts : classes
    if outputs == 1, classes == 2 {
      // One row of coefficients says how much the second class is preferred.
      guard transform == .logistic else {
        throw NodeFailure.unsupported("one row of coefficients without LOGISTIC")
      }
      let score = try product(&call, outputs: 1)
      try ONNXClasses.set(&call, preference: score, threshold: 0, integers: "classlabels_ints") {
        negative, positive, call in
        try transform.applied(
          to: try call.apply(Concatenate(axis: -1), to: negative, positive), in: call)
      }
      return
    }
    guard outputs == classes, outputs > 1 else {
      throw NodeFailure.unsupported("\(outputs) rows of coefficients for \(classes) labels")
    }
    let scores = try product(&call, outputs: outputs)
    try ONNXClasses.set(&call, scores: scores, transform, integers: "classlabels_ints")
  }
}

/// The two results of a classifier: the label, and the scores of all classes.
enum ONNXClasses {
  /// The class of the highest score, and all scores.
  static func set(
    _ call: inout ONNXCall, scores: FileTensor, _ transform: ONNXPostTransform, integers: String
  ) throws {
    let best = try call.apply(ArgMax(axis: -1, keepsDimensions: true), to: scores.tensor)
    let places = FileTensor(
      best, sizes: [scores.sizes[0], 1], layout: scores.layout, type: .int64
    ).reshaped(to: [scores.sizes[0]])
    let label = try ONNXLabels.label(&call, places, integers: integers)
    let result = try transform.applied(to: scores.tensor, in: call)
    call.set(label)
    call.set(FileTensor(result, sizes: scores.sizes, layout: scores.layout), output: 1)
  }

  /// The second class where the preference is above a threshold, and the scores of both.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - preference: one number for each row.
  ///   - threshold: where the second class begins.
  ///   - integers: the attribute of the labels.
  ///   - both: the scores, given the negative of the preference and the preference.
  /// - Throws: ``NodeFailure``, and what `both` throws.
  static func set(
    _ call: inout ONNXCall, preference: FileTensor, threshold: Float, integers: String,
    both: (Tensor, Tensor, ONNXCall) throws -> Tensor
  ) throws {
    let isSecond = try call.apply(
      Compare(.greater, than: [threshold]), to: preference.tensor)
    let places = FileTensor(
      isSecond, sizes: preference.sizes, layout: preference.layout, type: .int64
    ).reshaped(to: [preference.sizes[0]])
    let label = try ONNXLabels.label(&call, places, integers: integers)
    let negative = try call.apply(Unary(.negate), to: preference.tensor)
    let result = try both(negative, preference.tensor, call)
    call.set(label)
    call.set(
      FileTensor(result, sizes: [preference.sizes[0], 2], layout: preference.layout), output: 1)
  }
}
