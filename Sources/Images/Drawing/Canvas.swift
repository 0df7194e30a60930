import Forge

/// A picture to draw on: boxes, labels, lines, keypoints and masks.
///
/// ```swift
/// var canvas = try Canvas(photo)
/// let box = DetectedBox(label: 16, score: 0.87, x: 0.5, y: 0.5, width: 0.2, height: 0.4)
/// canvas.draw([box], labels: ["person", "bicycle"])
/// try canvas.image().write(to: "boxes.png")
/// ```
///
/// Places are in pixels from the left upper corner; what lies outside is cut off. Nothing is drawn
/// at places that are not finite.
public struct Canvas: Sendable {
  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// RGB, or RGBA, rows from top to bottom.
  var pixels: [UInt8]
  let channels: Int

  /// Creates a canvas with a picture on it; gray becomes RGB.
  ///
  /// - Parameter image: the picture.
  /// - Throws: ``ImageError`` when a sample is not finite, or there is not enough memory.
  public init(_ image: Image) throws(ImageError) {
    let image = try image.converted(to: image.format.hasAlpha ? .rgba : .rgb, samples: .uint8)
    (width, height, channels) = (image.width, image.height, image.format.channels)
    pixels = image.pixels
  }

  /// Creates a canvas of one color.
  ///
  /// - Parameters:
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - color: the color.
  ///   - limits: the limits on the size.
  /// - Throws: ``ImageError`` when a size is not positive or exceeds the limits.
  public init(
    width: Int, height: Int, color: PixelColor = .white, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    try limits.check(width: width, height: height)
    (self.width, self.height, channels) = (width, height, 3)
    let count = 3 * width * height
    pixels = try [UInt8](filling: count) { target in
      for index in stride(from: 0, to: count, by: 3) {
        target[index] = color.red
        target[index + 1] = color.green
        target[index + 2] = color.blue
      }
      return count
    }
  }

  /// The picture as it is now.
  public func image() -> Image {
    Image(checked: width, height, channels == 4 ? .rgba : .rgb, .uint8, pixels)
  }

  // MARK: Areas

  /// Fills a rectangle.
  ///
  /// - Parameters:
  ///   - rectangle: the rectangle; a pixel belongs to it if its center does.
  ///   - color: the color.
  ///   - opacity: the share of the color, 0 to 1.
  public mutating func fill(
    _ rectangle: CropRectangle, color: PixelColor, opacity: Double = 1
  ) {
    guard
      let columns = Self.pixels(from: rectangle.x, rectangle.width, below: width),
      let rows = Self.pixels(from: rectangle.y, rectangle.height, below: height)
    else { return }
    for y in rows {
      for x in columns { blend(x, y, color, opacity) }
    }
  }

  /// The pixels whose centers are in a part of an axis.
  static func pixels(from start: Double, _ length: Double, below count: Int) -> Range<Int>? {
    guard start.isFinite, length.isFinite, length > 0 else { return nil }
    let most = Double(count)
    let low = Int(min(max((start - 0.5).rounded(.up), 0), most))
    let high = Int(min(max((start + length - 0.5).rounded(.up), 0), most))
    return low < high ? low..<high : nil
  }

  /// Lays a mask over the picture.
  ///
  /// - Parameters:
  ///   - mask: a value for each pixel, 0 (nothing) to 1 (the color at full opacity); NaN is 0.
  ///   - color: the color.
  ///   - opacity: the share of the color where the mask is 1.
  /// - Throws: ``ImageError`` when the mask has a different number of values than the picture
  ///   pixels.
  public mutating func draw(
    mask: [Float], color: PixelColor, opacity: Double = 0.5
  ) throws(ImageError) {
    guard mask.count == width * height else {
      throw .wrongValueCount(mask.count, width: width, height: height, channels: 1)
    }
    for (index, value) in mask.enumerated() where value > 0 {
      blend(index % width, index / width, color, opacity * Double(min(value, 1)))
    }
  }

  // MARK: Pixels

  /// Mixes a color into a pixel inside the picture.
  mutating func blend(_ x: Int, _ y: Int, _ color: PixelColor, _ opacity: Double) {
    let start = (y * width + x) * channels
    let share = opacity.isNaN ? 0 : Int((min(max(opacity, 0), 1) * 255).rounded())
    for (channel, level) in [color.red, color.green, color.blue].enumerated() {
      let sum = share * Int(level) + (255 - share) * Int(pixels[start + channel])
      pixels[start + channel] = UInt8(dividedBy255(sum))
    }
    if channels == 4 { pixels[start + 3] = max(pixels[start + 3], UInt8(share)) }
  }
}

/// The nearest integer to `product` / 255, for products of two bytes.
func dividedBy255(_ product: Int) -> Int {
  let rounded = product + 128
  return (rounded + rounded >> 8) >> 8
}
