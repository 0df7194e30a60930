import Forge

/// Where the pixels of a prepared picture come from, and the way back.
///
/// A preparation samples a rectangle of the picture (``box``) and puts it into a part of the
/// network's input (``region``). A detector's boxes, points and masks are in the input; these
/// functions say where they are in the picture:
///
/// ```
/// picture = box.origin + (input − region.origin) · box.size / region.size
/// ```
///
/// ```swift
/// let preparation = ImagePreparation.letterbox(width: 640, height: 640)
/// let geometry = try preparation.geometry(width: 1920, height: 1080)
/// let center = geometry.source(x: 320, y: 320)
/// print(center.x, center.y)  // 960.0 540.0
/// ```
public struct ImageGeometry: Hashable, Sendable {
  /// The size of the picture in pixels.
  public let source: Size
  /// The size of the network's input in pixels.
  public let input: Size
  /// The rectangle of the picture that is used.
  public let box: CropRectangle
  /// The part of the input that shows ``box``; the rest is a border.
  public let region: CropRectangle

  /// Creates the geometry of a preparation of one's own.
  public init(source: Size, input: Size, box: CropRectangle, region: CropRectangle) {
    self.source = source
    self.input = input
    self.box = box
    self.region = region
  }

  /// The point in the picture of a point in the input.
  ///
  /// - Parameters:
  ///   - x: pixels from the left edge of the input.
  ///   - y: pixels from the upper edge of the input.
  /// - Returns: pixels from the left and upper edge of the picture; may lie outside.
  public func source(x: Double, y: Double) -> (x: Double, y: Double) {
    (
      box.x + (x - region.x) * box.width / region.width,
      box.y + (y - region.y) * box.height / region.height
    )
  }

  /// The point in the input of a point in the picture.
  ///
  /// - Parameters:
  ///   - x: pixels from the left edge of the picture.
  ///   - y: pixels from the upper edge of the picture.
  /// - Returns: pixels from the left and upper edge of the input; may lie outside.
  public func input(x: Double, y: Double) -> (x: Double, y: Double) {
    (
      region.x + (x - box.x) * region.width / box.width,
      region.y + (y - box.y) * region.height / box.height
    )
  }

  /// The box in the picture of a box in the input, both as fractions.
  ///
  /// - Parameter box: a box as fractions of the input, as decoders return it.
  /// - Returns: the box as fractions of the picture; may reach beyond it.
  public func source(_ box: DetectedBox) -> DetectedBox {
    let (width, height) = (Double(input.width), Double(input.height))
    let center = source(x: Double(box.x) * width, y: Double(box.y) * height)
    var mapped = box
    mapped.x = Float(center.x / Double(source.width))
    mapped.y = Float(center.y / Double(source.height))
    mapped.width = Float(
      Double(box.width) * width * self.box.width / region.width / Double(source.width))
    mapped.height = Float(
      Double(box.height) * height * self.box.height / region.height / Double(source.height))
    return mapped
  }

  /// The boxes in the picture of boxes in the input, both as fractions.
  public func source(_ boxes: [DetectedBox]) -> [DetectedBox] { boxes.map { source($0) } }

  /// The keypoint in the picture of a keypoint in the input, both as fractions.
  public func source(_ keypoint: Keypoint) -> Keypoint {
    let point = source(
      x: Double(keypoint.x) * Double(input.width), y: Double(keypoint.y) * Double(input.height))
    return Keypoint(
      x: Float(point.x / Double(source.width)), y: Float(point.y / Double(source.height)),
      score: keypoint.score)
  }

  /// A mask or map of the input, resampled to the picture.
  ///
  /// Each pixel of the picture takes the linear interpolation of the four nearest values. Pixels
  /// that the preparation left out take `outside`.
  ///
  /// - Parameters:
  ///   - values: height × width values that cover the whole input, at any resolution.
  ///   - width: the number of columns.
  ///   - height: the number of rows.
  ///   - outside: the value of pixels that are not in ``box``.
  ///   - limits: the limits on the size of the result.
  /// - Returns: a value for each pixel of the picture.
  /// - Throws: ``ImageError`` when sizes and values do not fit each other, or the picture exceeds
  ///   the limits.
  public func sourceMask(
    _ values: [Float], width: Int, height: Int, outside: Float = 0,
    limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> [Float] {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    let count = width.multipliedSaturated(by: height)
    guard values.count == count else {
      throw .wrongValueCount(values.count, width: width, height: height, channels: 1)
    }
    try limits.check(width: source.width, height: source.height)
    let columns = taps(source.width, width, Double(input.width)) {
      (self.input(x: $0, y: 0).x, $0 >= box.x && $0 < box.x + box.width)
    }
    let rows = taps(source.height, height, Double(input.height)) {
      (self.input(x: 0, y: $0).y, $0 >= box.y && $0 < box.y + box.height)
    }
    let total = source.width * source.height
    return try [Float](filling: total) { target in
      for (y, row) in rows.enumerated() {
        for (x, column) in columns.enumerated() {
          guard let row, let column else {
            target[y * source.width + x] = outside
            continue
          }
          func across(_ row: Int) -> Float {
            let low = values[row * width + column.first]
            return low + (values[row * width + column.second] - low) * column.share
          }
          let low = across(row.first)
          target[y * source.width + x] = low + (across(row.second) - low) * row.share
        }
      }
      return total
    }
  }

  /// The two values around each pixel of an axis, and the share of the second; `nil` outside.
  private func taps(
    _ pixels: Int, _ values: Int, _ inputs: Double, place: (Double) -> (Double, Bool)
  ) -> [(first: Int, second: Int, share: Float)?] {
    (0..<pixels).map { pixel in
      let (input, isInside) = place(Double(pixel) + 0.5)
      guard isInside else { return nil }
      let position = min(max(input / inputs * Double(values) - 0.5, 0), Double(values - 1))
      let first = Int(position)
      return (first, min(first + 1, values - 1), Float(position - Double(first)))
    }
  }
}
