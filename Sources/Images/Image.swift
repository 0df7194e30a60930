import Forge
import ForgeShapes

/// A picture in memory: 8 bits per channel, rows from top to bottom, without padding.
///
/// To use a picture as input, prepare it as the network's training did, then predict:
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
  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The pixel format.
  public let format: PixelFormat
  /// The bytes: pixel (x, y) starts at (y × width + x) × ``PixelFormat/channels``.
  public let pixels: [UInt8]

  /// Creates a picture from its pixels.
  ///
  /// - Parameters:
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - format: the pixel format.
  ///   - pixels: height × width × channels bytes, rows from top to bottom.
  /// - Throws: ``ImageError`` when a size is not positive or does not match the number of bytes.
  public init(width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) throws(ImageError) {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    let count = width.multipliedSaturated(by: height).multipliedSaturated(by: format.channels)
    guard count == pixels.count else {
      throw .wrongCount(pixels.count, width: width, height: height, format)
    }
    self.init(checked: width, height, format, pixels)
  }

  /// Creates a picture from checked sizes.
  init(checked width: Int, _ height: Int, _ format: PixelFormat, _ pixels: [UInt8]) {
    self.width = width
    self.height = height
    self.format = format
    self.pixels = pixels
  }

  /// Creates a picture whose size is within the limits; `fill` writes every byte.
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
  public var description: String { "\(Size(width: width, height: height)) \(format)" }
}
