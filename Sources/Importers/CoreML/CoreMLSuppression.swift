import Forge

/// How overlapping boxes are dropped, as Core ML does it.
///
/// The score of a box is the largest of its classes, which also is its class. Boxes whose score is
/// below a threshold are dropped. Of the others the one with the highest score is kept, and those
/// that overlap it by more than another threshold are dropped; this is repeated with the rest.
struct CoreMLSuppression {
  /// The rows of the result; those that are not used are 0.
  let rows: Int
  /// The largest intersection over union that is kept.
  let overlap: Float
  /// The least score.
  let leastScore: Float
  /// Whether boxes only suppress those of their class.
  let isPerClass: Bool

  /// The kept boxes in the order of falling scores.
  struct Result {
    /// The boxes [images][rows][4].
    let boxes: FileValue
    /// The scores [images][rows][classes].
    let scores: FileValue
    /// [images][rows]: the places of the boxes; −1 for rows that are not used.
    let places: FileValue
    /// [images]: the rows that are used.
    let counts: FileValue
  }

  /// Translates the suppression.
  ///
  /// - Parameters:
  ///   - boxes: [images][boxes][4]: x and y of the center, width, height.
  ///   - scores: [images][boxes][classes].
  ///   - call: makes the nodes.
  /// - Returns: the kept boxes.
  /// - Throws: ``NodeFailure``.
  func result(
    _ boxes: FileValue, _ scores: FileValue, _ call: inout some ONNXTranslation
  ) throws -> Result {
    guard boxes.sizes.count == 3, boxes.sizes[2] == 4, scores.sizes.count == 3,
      boxes.sizes.prefix(2) == scores.sizes.prefix(2), !scores.sizes.contains(0)
    else { throw NodeFailure.invalid("boxes of \(boxes.sizes) and scores of \(scores.sizes)") }
    guard rows > 0, (0...1).contains(overlap), !leastScore.isNaN else {
      throw NodeFailure.invalid("\(rows) rows, thresholds \(overlap) and \(leastScore)")
    }
    let (images, count, classes) = (boxes.sizes[0], boxes.sizes[1], scores.sizes[2])
    try ONNXCall.checkConstant([images, rows, max(classes, 4)])
    let used = min(rows, count)
    let none = FileValue.number(-.infinity)

    let best = try call.node(
      "ReduceMax", [scores, .integers([2])], ["keepdims": .int(0)])
    let ofClass: FileValue
    if isPerClass, classes > 1 {
      let label = try call.node("ArgMax", [scores], ["axis": .int(2), "keepdims": .int(1)])
      let numbers = HostTensor(integers: (0..<classes).map { Int64($0) }, sizes: [1, 1, classes])
      let own = try call.node("Equal", [label, .host(numbers)])
      ofClass = try call.node(
        "Transpose", [try call.node("Where", [own, scores, none])], ["perm": .ints([0, 2, 1])])
    } else {
      ofClass = try call.node("Unsqueeze", [best, .integers([1])])
    }
    // The operator takes scores above the threshold, not equal ones.
    let selected = try call.node(
      "NonMaxSuppression",
      [
        boxes, ofClass, .integers([isPerClass ? count : used]), .number(overlap),
        .number(leastScore.nextDown),
      ], ["center_point_box": .int(1)])
    let ranked = try call.node(
      "Where", [try isKept(selected, images, count, &call), best, none])
    let top = try call.nodes(
      "TopK", [ranked, .integers([used])],
      ["axis": .int(1), "largest": .int(1), "sorted": .int(1)], outputs: 2)
    let isUsed = try call.node("Greater", [top[0], none])
    let wide = try call.node("Unsqueeze", [isUsed, .integers([2])])
    func gathered(_ values: FileValue) throws -> FileValue {
      let width = values.sizes[2]
      let places = try call.node(
        "Expand",
        [
          try call.node("Unsqueeze", [top[1], .integers([2])]),
          .integers([images, used, width]),
        ])
      let found = try call.node("GatherElements", [values, places], ["axis": .int(1)])
      return try padded(try call.node("Where", [wide, found, .number(0)]), used, 0, &call)
    }
    let numbers = try call.node("Cast", [top[1]], ["to": .int(1)])
    let places = try padded(
      try call.node("Where", [isUsed, numbers, .number(-1)]), used, -1, &call)
    let ones = try call.node("Where", [isUsed, .number(1), .number(0)])
    let sum = try call.node("ReduceSum", [ones, .integers([1])], ["keepdims": .int(0)])
    return Result(
      boxes: try gathered(boxes), scores: try gathered(scores),
      places: try call.node("Cast", [places], ["to": .int(6)]),
      counts: try call.node("Cast", [sum], ["to": .int(6)]))
  }

  /// Whether each box is among selected rows (image, class, box), [images][boxes].
  private func isKept(
    _ selected: FileValue, _ images: Int, _ count: Int, _ call: inout some ONNXTranslation
  ) throws -> FileValue {
    let all = images * count
    guard all < 1 << 24 else { throw NodeFailure.unsupported("\(all) boxes") }
    let rows = try call.node("Cast", [selected], ["to": .int(1)])
    func column(_ index: Int) throws -> FileValue {
      let part = try call.node(
        "Slice", [rows, .integers([index]), .integers([index + 1]), .integers([1])])
      return try call.node("Reshape", [part, .integers([-1])])
    }
    let image = try call.node("Mul", [try column(0), .number(Float(count))])
    let place = try call.node("Add", [image, try column(2)])
    // Rows that are not used are −1; they mark a place behind all boxes.
    let isFree = try call.node("Less", [try column(2), .number(0)])
    let marked = try call.node(
      "Cast", [try call.node("Where", [isFree, .number(Float(all)), place])], ["to": .int(7)])
    let zeros = HostTensor(floats: [Float](repeating: 0, count: all + 1), sizes: [all + 1])
    let ones = try call.node(
      "Expand", [.number(1), .integers([selected.sizes[0]])])
    let marks = try call.node(
      "ScatterElements", [.host(zeros), marked, ones], ["axis": .int(0)])
    let own = try call.node(
      "Slice", [marks, .integers([0]), .integers([all]), .integers([0])])
    return try call.node(
      "Greater", [try call.node("Reshape", [own, .integers([images, count])]), .number(0)])
  }

  /// A value with the rows along axis 1 that are missing.
  private func padded(
    _ value: FileValue, _ used: Int, _ fill: Float, _ call: inout some ONNXTranslation
  ) throws -> FileValue {
    guard rows > used else { return value }
    var pads = value.sizes.map { _ in 0 } + value.sizes.map { _ in 0 }
    pads[value.sizes.count + 1] = rows - used
    return try call.node("Pad", [value, .integers(pads), .number(fill)])
  }
}
