import Forge
import ForgeSystem

/// YOLO networks with anchors: the raw outputs of their heads.
extension BoxDecoder {
  /// A head of YOLO version 2 (Darknet's `[region]`).
  ///
  /// For each anchor in column `i` and row `j` of a grid of (w, h) cells the channels hold x, y,
  /// width, height, objectness and a number for each class:
  ///
  /// ```
  /// x     = (i + σ(x)) / w                width  = exp(width) · anchor.width / w
  /// y     = (j + σ(y)) / h                height = exp(height) · anchor.height / h
  /// score = σ(objectness) · softmax(classes)
  /// ```
  ///
  /// - Parameters:
  ///   - grid: the columns and rows of the output.
  ///   - anchors: the anchors, in cells.
  ///   - classes: the number of classes.
  ///   - layout: the order of the values.
  /// - Returns: the decoder; there is a box for each class above the score.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func yoloV2(
    grid: Size, anchors: [BoxAnchor], classes: Int, layout: ImageLayout = .channelsLast
  ) throws(ImageError) -> BoxDecoder {
    try anchored(grid, anchors, classes, layout, unit: grid) { head in
      let numbers = (0..<classes).map { Double(head(5 + $0)) }
      let largest = numbers.max() ?? 0
      let powers = numbers.map { exp($0 - largest) }
      let sum = powers.reduce(0, +)
      return powers.map { $0 / sum }
    } place: {
      sigmoid($0)
    } size: {
      exp(Double($0))
    }
  }

  /// A head of YOLO version 3 or 4 (Darknet's `[yolo]`).
  ///
  /// As ``yoloV2(grid:anchors:classes:layout:)``, except for anchors in pixels of the input, and
  /// with `s` for `scaleXY`:
  ///
  /// ```
  /// x     = (i + s·σ(x) − (s − 1)/2) / w  width  = exp(width) · anchor.width / input.width
  /// score = σ(objectness) · σ(class)
  /// ```
  ///
  /// - Parameters:
  ///   - grid: the columns and rows of the output.
  ///   - anchors: the anchors of this head, in pixels of the network's input.
  ///   - classes: the number of classes.
  ///   - input: the size of the network's input in pixels.
  ///   - scaleXY: `scale_x_y` of version 4; 1 for version 3.
  ///   - layout: the order of the values.
  /// - Returns: the decoder; there is a box for each class above the score.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func yoloV3(
    grid: Size, anchors: [BoxAnchor], classes: Int, input: Size, scaleXY: Double = 1,
    layout: ImageLayout = .channelsLast
  ) throws(ImageError) -> BoxDecoder {
    try anchored(grid, anchors, classes, layout, unit: input) { head in
      (0..<classes).map { sigmoid(head(5 + $0)) }
    } place: {
      sigmoid($0) * scaleXY - (scaleXY - 1) / 2
    } size: {
      exp(Double($0))
    }
  }

  /// A raw head of YOLO version 5 or 7, before its own decoding.
  ///
  /// ```
  /// x     = (i + 2·σ(x) − ½) / w          width  = (2·σ(width))² · anchor.width / input.width
  /// score = σ(objectness) · σ(class)
  /// ```
  ///
  /// Exported networks mostly decode their heads themselves: see
  /// ``candidatesWithObjectness(classes:count:input:layout:)``.
  ///
  /// - Parameters:
  ///   - grid: the columns and rows of the output.
  ///   - anchors: the anchors of this head, in pixels of the network's input.
  ///   - classes: the number of classes.
  ///   - input: the size of the network's input in pixels.
  ///   - layout: the order of the values.
  /// - Returns: the decoder; there is a box for each class above the score.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func yoloV5(
    grid: Size, anchors: [BoxAnchor], classes: Int, input: Size,
    layout: ImageLayout = .channelsLast
  ) throws(ImageError) -> BoxDecoder {
    try anchored(grid, anchors, classes, layout, unit: input) { head in
      (0..<classes).map { sigmoid(head(5 + $0)) }
    } place: {
      2 * sigmoid($0) - 0.5
    } size: {
      4 * sigmoid($0) * sigmoid($0)
    }
  }

  /// The form that all heads with anchors share.
  private static func anchored(
    _ grid: Size, _ anchors: [BoxAnchor], _ classes: Int, _ layout: ImageLayout, unit: Size,
    scores: @escaping @Sendable ((Int) -> Float) -> [Double],
    place: @escaping @Sendable (Float) -> Double, size: @escaping @Sendable (Float) -> Double
  ) throws(ImageError) -> BoxDecoder {
    let perAnchor = classes.addingSaturated(5)
    let channels = perAnchor.multipliedSaturated(by: anchors.count)
    for (name, size) in [
      ("classes", classes), ("width of the input", unit.width),
      ("height of the input", unit.height), ("anchors", anchors.count),
    ] {
      _ = try checkedCount([(name, size)])
    }
    let valueCount = try checkedCount([
      ("columns", grid.width), ("rows", grid.height), ("channels", channels),
    ])
    return BoxDecoder(valueCount: valueCount) { values, minimumScore in
      let cells = GridValues(
        values: values, cells: grid.width * grid.height, channels: channels, layout: layout)
      var found: [DetectedBox] = []
      for cell in 0..<grid.width * grid.height {
        let (row, column) = cell.quotientAndRemainder(dividingBy: grid.width)
        for (index, anchor) in anchors.enumerated() {
          let head = { (channel: Int) in cells[cell, index * perAnchor + channel] }
          let objectness = sigmoid(head(4))
          guard objectness > Double(minimumScore) else { continue }
          var box = DetectedBox(
            label: 0, score: 0,
            x: Float((Double(column) + place(head(0))) / Double(grid.width)),
            y: Float((Double(row) + place(head(1))) / Double(grid.height)),
            width: Float(size(head(2)) * Double(anchor.width) / Double(unit.width)),
            height: Float(size(head(3)) * Double(anchor.height) / Double(unit.height)))
          for (label, score) in scores(head).enumerated() {
            (box.label, box.score) = (label, Float(objectness * score))
            if box.score > minimumScore { found.append(box) }
          }
        }
      }
      return found
    }
  }
}
