import Forge

/// A picture in memory: 8 bits per channel, rows from the top, without gaps.
///
/// A picture becomes the input of a network in one line: prepare it as the network was trained, and
/// predict:
///
/// ```swift
/// import Forge
/// import ForgeImages
///
/// let preparation = ImagePreparation(width: 224, height: 224, normalization: .keras(.tf))
/// let photo = try Image(contentsOf: "cat.jpg")
/// let probabilities = try network.predict(try photo.values(prepared: preparation))
/// ```
public struct Image: Hashable, Sendable {
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// What the bytes of a pixel are.
  public let format: PixelFormat
  /// The bytes: pixel (x, y) starts at (y × width + x) × ``PixelFormat/channels``.
  public let pixels: [UInt8]

  /// Creates a picture from its pixels.
  ///
  /// - Parameters:
  ///   - width: pixels in a row, at least 1.
  ///   - height: rows, at least 1.
  ///   - format: what the bytes of a pixel are.
  ///   - pixels: height × width × channels bytes, rows from the top.
  /// - Throws: ``ImageError`` when the sizes are not positive or the number of bytes is not theirs.
  public init(width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) throws(ImageError) {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    let (area, areaOverflow) = width.multipliedReportingOverflow(by: height)
    let (count, countOverflow) = area.multipliedReportingOverflow(by: format.channels)
    guard !areaOverflow, !countOverflow, count == pixels.count else {
      throw .wrongCount(pixels.count, width: width, height: height, format)
    }
    self.init(checked: width, height, format, pixels)
  }

  /// A picture whose sizes are known to be right.
  init(checked width: Int, _ height: Int, _ format: PixelFormat, _ pixels: [UInt8]) {
    self.width = width
    self.height = height
    self.format = format
    self.pixels = pixels
  }

  /// A picture of sizes that are within the limits, every byte of which `fill` writes.
  init(
    filling width: Int, _ height: Int, _ format: PixelFormat,
    _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(ImageError) -> Void
  ) throws(ImageError) {
    let count = width * height * format.channels
    let pixels = try [UInt8](filling: count) { buffer throws(ImageError) in
      try fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      return count
    }
    self.init(checked: width, height, format, pixels)
  }
}

extension Image: CustomStringConvertible {
  /// The size and the format: `224×224 rgb`.
  public var description: String { "\(Size(width: width, height: height).text) \(format)" }
}
