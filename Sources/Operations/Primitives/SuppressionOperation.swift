import ForgeShapes

/// The boxes of high score that overlap little, class by class: rows (image, class, box), then −1.
///
/// Operands: boxes [boxes][4] and scores [classes][boxes], or both with an axis of images in front.
package struct SuppressionOperation: PrimitiveOperation {
  let rule: SuppressionRule

  package var name: String { "nonMaximumSuppression" }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.require(
      rule.maximumPerClass >= 1, "maximumPerClass", "\(rule.maximumPerClass)",
      needs: "a number of at least 1")
    try ArgumentRule.require(
      (0...1).contains(rule.iouThreshold), "iouThreshold", "\(rule.iouThreshold)",
      needs: "a number from 0 to 1")
    try ArgumentRule.require(
      !rule.scoreThreshold.isNaN, "scoreThreshold", "\(rule.scoreThreshold)", needs: "a number")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    guard operands.count == 2 else {
      throw .wrongInputCount(operands.count, needs: "boxes and scores")
    }
    let (boxes, scores) = (operands[0], operands[1])
    let mismatch = ShapeError(
      .shapeMismatch, "the inputs are not boxes and scores",
      received: "\(boxes.sizeText) and \(scores.sizeText)",
      needs: "[boxes][4] and [classes][boxes], both with or without [images] in front")
    guard (2...3).contains(boxes.rank), scores.rank == boxes.rank else { throw mismatch }
    let known = try ArgumentRule.known(boxes, "a known number of boxes")
    let sizes = try ArgumentRule.known(scores, "a known number of classes")
    let (images, count) = (sizes.dropLast(2), sizes[sizes.count - 1])
    guard known == images + [count, 4] else { throw mismatch }
    let rows = sizes.dropLast().reduce(min(rule.maximumPerClass, count)) {
      $0.multipliedSaturated(by: $1)
    }
    return try SizeRule.bounded(Shape(sizes: [rows, 3]))
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    // Each box of a row is compared with those that are taken, by a quotient of areas.
    (operands[1].channels ?? 1).multipliedSaturated(by: 4)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (boxes, scores) = (call.operands[0], call.operands[1])
    let count = scores.sizes[scores.sizes.count - 1]
    let classes = scores.sizes[scores.sizes.count - 2]
    let images = scores.sizes.dropLast(2).reduce(1, *)
    let corners = (0..<(images * count)).map {
      self.corners(Array(boxes.values[($0 * 4)...].prefix(4)))
    }
    var rows: [Double] = []
    for list in 0..<(images * classes) {
      let (image, group) = (list / classes, list % classes)
      let corners = corners[(image * count)...].prefix(count).map { $0 }
      let classScores = scores.values[(list * count)...].prefix(count)
      let order = zip(0..., classScores).filter { $1 > Double(rule.scoreThreshold) }
        .sorted { ($0.1, $1.0) > ($1.1, $0.0) }
      var taken: [Int] = []
      for (box, _) in order where taken.count < rule.maximumPerClass {
        let isFree = taken.allSatisfy {
          !(Self.overlap(corners[box], corners[$0]) > Double(rule.iouThreshold))
        }
        if isFree { taken.append(box) }
      }
      for box in taken { rows += [Double(image), Double(group), Double(box)] }
    }
    let rest = call.output.reduce(1, *) - rows.count
    return ReferenceTensor(unchecked: call.output, rows + Array(repeating: -1, count: rest))
  }

  /// The smallest and the largest coordinates of a box along both axes.
  private func corners(_ box: [Double]) -> [Double] {
    if rule.centerPointBoxes {
      let (x, y, width, height) = (box[0], box[1], box[2] / 2, box[3] / 2)
      return [y - height, x - width, y + height, x + width]
    }
    return [min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])]
  }

  /// The intersection over the union; 0 for boxes without area.
  private static func overlap(_ a: [Double], _ b: [Double]) -> Double {
    let height = min(a[2], b[2]) - max(a[0], b[0])
    let width = min(a[3], b[3]) - max(a[1], b[1])
    let (first, second) = ((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    guard height > 0, width > 0, first > 0, second > 0 else { return 0 }
    return height * width / (first + second - height * width)
  }
}
