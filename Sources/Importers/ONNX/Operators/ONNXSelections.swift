import Forge

extension ONNXOperators {
  /// Operations whose results are chosen by the values.
  static let selections: [ONNXOperator] = [
    ONNXOperator(
      "TopK", import: topK, fold: .none, bounds: .chosenByOrder, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.largest)),
    // How many boxes there are depends on the values.
    ONNXOperator(
      "NonMaxSuppression", import: suppress, fold: .none, bounds: nil, length: .refused,
      sizes: .none, examples: .mixed),
  ]

  private static func topK(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: input.rank)
    var stated: Int?
    if call.node.has("k") {
      stated = call.node.int("k")
    } else if let known = call.host(1) {
      stated = try known.integers().first.map { Int($0) }
    } else if call.has(1) {
      try ONNXChosenRows.refuseLengths([input])
      let count = try call.apply(Reshape(to: [1]), to: try ONNXCall.plain(try call.value(1)))
      call.chosenRows = ONNXChosenRows(axis: axis, count: count)
      stated = input.sizes[axis]
    }
    guard let count = stated, (1...max(input.sizes[axis], 1)).contains(count) else {
      throw NodeFailure.invalid("k of an axis of \(input.sizes[axis])")
    }
    let layout = fullLayout(input, axes: [axis])
    let tensor = input.tensor(as: layout)
    for (index, output) in [TopK.Output.values, .indices].enumerated() {
      let layer = TopK(
        count: count, axis: layout.firstIndex(of: axis) ?? 0,
        largest: call.node.int("largest", 1) != 0, sorted: call.node.int("sorted", 1) != 0,
        output: output)
      let result = try call.apply(layer, to: tensor)
      call.set(
        FileTensor(
          result, layout: layout, rank: input.rank, type: index == 0 ? input.type : .int64),
        output: index)
    }
  }

  /// A bounded list of boxes: rows that are not used are −1.
  private static func suppress(_ call: inout ONNXCall) throws {
    let (boxes, scores) = (try call.network(0), try call.network(1))
    guard boxes.rank == 3, scores.rank == 3, boxes.sizes[0] == scores.sizes[0] else {
      throw NodeFailure.invalid("boxes \(boxes.sizes) and scores \(scores.sizes)")
    }
    let layout: [Int?] = boxes.sizes[0] == 1 ? [1, 2] : [0, 1, 2]
    let most = try call.knownInts(2, "the number of boxes")?.first ?? 0
    let overlap = try call.knownFloats(3, "the threshold")?.first ?? 0
    let score = try call.knownFloats(4, "the threshold")?.first ?? -.infinity
    guard most > 0 else { throw NodeFailure.unsupported("an empty result") }
    let layer = NonMaximumSuppression(
      maximumPerClass: most, iouThreshold: overlap, scoreThreshold: score,
      centerPointBoxes: call.node.int("center_point_box") != 0)
    let result = try call.apply(
      layer, to: [boxes.tensor(as: layout), scores.tensor(as: layout)])
    call.set(FileTensor(result, layout: [0, 1], rank: 2, type: .int64))
    // A row that counts has no number below 0.
    let column = try call.apply(Slice(starts: [0], ends: [1], axes: [1]), to: result)
    let counts = try call.apply(Compare(.greaterOrEqual, than: [0]), to: column)
    let sum = try call.apply(Reduce(.sum, axes: [0, 1]), to: counts)
    call.chosenRows = ONNXChosenRows(axis: 0, count: sum)
  }
}
