import Forge

/// `TreeEnsembleRegressor`, `TreeEnsembleClassifier` and `TreeEnsemble`.
enum ONNXTrees {
  static let all: [ONNXOperator] = [
    ONNXFeatures.operation("TreeEnsembleRegressor", regress),
    ONNXFeatures.operation("TreeEnsemble", ensemble),
    ONNXOperator(
      "TreeEnsembleClassifier", domain: ONNXFeatures.domain, import: classify, fold: .none,
      bounds: ONNXLabels.bound(ofLabels: "classlabels_int64s"), length: .refused, sizes: .none,
      examples: .apart(ONNXLinearModels.labelled)),
  ]

  /// The scores of all targets for each row.
  static func scores(
    _ call: inout ONNXCall, _ trees: [DecisionTree], targets: Int,
    aggregate: TreeAggregate, base: [Float]
  ) throws -> FileTensor {
    let input = try ONNXFeatures.features(call)
    guard input.rank == 2 else { throw NodeFailure.unsupported("features of sizes \(input.sizes)") }
    if base.contains(where: { $0 != 0 }) {
      // Such targets of a row are 0 in ONNX Runtime, without the base.
      let sure = ONNXTreeReader.targetsWithVotes(trees, count: targets)
      guard base.indices.allSatisfy({ base[$0] == 0 || sure.contains($0) }) else {
        throw NodeFailure.unsupported("base values of targets for which a row may have no votes")
      }
    }
    let layer = TreeEnsemble(
      trees, targets: targets, aggregate: aggregate, base: base, name: call.layerName)
    let result = try call.apply(layer, to: input.tensor)
    return FileTensor(result, sizes: [input.sizes[0], targets], layout: input.layout)
  }

  /// How a node combines votes.
  private static func aggregate(_ name: String) throws -> TreeAggregate {
    switch name {
    case "SUM": .sum
    case "AVERAGE": .average
    case "MIN": .minimum
    case "MAX": .maximum
    default: throw NodeFailure.unsupported("aggregate_function \(name)")
    }
  }

  private static func regress(_ call: inout ONNXCall) throws {
    let targets = call.node.int("n_targets", 1)
    let reader = ONNXTreeReader(call, votes: "target")
    let trees = try reader.trees(targets: targets)
    let transform = try transform(call, targets: targets)
    let aggregate = try aggregate(call.node.string("aggregate_function", "SUM"))
    let scores = try scores(
      &call, trees, targets: targets, aggregate: aggregate, base: try reader.base(targets))
    call.set(try transform.applied(to: scores.tensor, in: call), like: scores)
  }

  /// The transform of a regressor; ONNX Runtime ignores that of one target, and ONNX does not.
  private static func transform(_ call: ONNXCall, targets: Int) throws -> ONNXPostTransform {
    let transform = try ONNXPostTransform.stated(call)
    guard targets > 1 || transform == .none else {
      throw NodeFailure.unsupported("post_transform \(transform.rawValue) of one target")
    }
    return transform
  }

  private static func ensemble(_ call: inout ONNXCall) throws {
    let targets = call.node.int("n_targets", 1)
    let (trees, type) = try ONNXTreeReader(call, votes: "leaf").ensemble(targets: targets)
    guard type == .float32 else { throw NodeFailure.unsupported("splits of \(type.rawValue)") }
    let transforms: [ONNXPostTransform] = [.none, .softmax, .logistic, .softmaxZero]
    let number = call.node.int("post_transform")
    guard transforms.indices.contains(number), targets > 1 || number == 0 else {
      throw NodeFailure.unsupported("post_transform \(number) of \(targets) targets")
    }
    let names = ["AVERAGE", "SUM", "MIN", "MAX"]
    let function = call.node.int("aggregate_function", 1)
    guard names.indices.contains(function) else {
      throw NodeFailure.unsupported("aggregate_function \(function)")
    }
    let scores = try scores(
      &call, trees, targets: targets, aggregate: try aggregate(names[function]), base: [])
    call.set(try transforms[number].applied(to: scores.tensor, in: call), like: scores)
  }

  private static func classify(_ call: inout ONNXCall) throws {
    let integers = "classlabels_int64s"
    let classes = try ONNXLabels.classNames(call, integers: integers).count
    let transform = try ONNXPostTransform.stated(call)
    let reader = ONNXTreeReader(call, votes: "class")
    let trees = try reader.trees(targets: classes)
    let weights = trees.lazy.flatMap(\.votes).map(\.weight)
    guard classes != 2 else {
      return try classifyTwo(&call, trees, transform, base: reader.numbers("base_values"))
    }
    guard classes > 2 else { throw NodeFailure.unsupported("one class") }
    let sure = ONNXTreeReader.targetsWithVotes(trees, count: classes)
    guard sure.count == classes || weights.allSatisfy({ $0 >= 0 }) else {
      // Their score of 0 does not take part in the choice.
      throw NodeFailure.unsupported("classes for which a row may have no votes")
    }
    let scores = try scores(
      &call, trees, targets: classes, aggregate: .sum, base: try reader.base(classes))
    try ONNXClasses.set(&call, scores: scores, transform, integers: integers)
  }

  /// Two classes: the votes, all for the first in the file, say how much the second is preferred.
  ///
  /// ONNX Runtime has four cases, of which those that converters write are here.
  private static func classifyTwo(
    _ call: inout ONNXCall, _ trees: [DecisionTree], _ transform: ONNXPostTransform, base: [Float]
  ) throws {
    guard trees.allSatisfy({ $0.votes.allSatisfy { $0.target == 0 } }) else {
      throw NodeFailure.unsupported("two classes with votes for both")
    }
    guard base.count <= 1 else { throw NodeFailure.unsupported("two base values of two classes") }
    let isPositive = trees.allSatisfy { $0.votes.allSatisfy { $0.weight >= 0 } }
    let preference = try scores(&call, trees, targets: 1, aggregate: .sum, base: base)
    switch (transform, isPositive) {
    case (.none, true):
      // Probabilities of the second class.
      try ONNXClasses.set(&call, preference: preference, threshold: 0.5, integers: integersOfTrees)
      { negative, positive, call in
        let first = try call.apply(Add(constant: [1]), to: negative)
        return try call.apply(Concatenate(axis: -1), to: first, positive)
      }
    case (.none, false), (.logistic, false):
      try ONNXClasses.set(&call, preference: preference, threshold: 0, integers: integersOfTrees) {
        negative, positive, call in
        let both = try call.apply(Concatenate(axis: -1), to: negative, positive)
        return try transform.applied(to: both, in: call)
      }
    case (.logistic, true):
      throw NodeFailure.unsupported("LOGISTIC of votes that are all positive")
    default:
      throw NodeFailure.unsupported("post_transform \(transform.rawValue) of two classes")
    }
  }

  private static let integersOfTrees = "classlabels_int64s"
}
