import Forge
import ForgeShapes

/// A picture in memory: rows from top to bottom, without padding.
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
///
/// Pictures in memory that Forge does not own, such as frames of a camera, need not be copied: see
/// ``ImageView``.
public struct Image: Hashable, Sendable {
  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The pixel format.
  public let format: PixelFormat
  /// The type of a sample.
  public let samples: SampleType
  /// The bytes: pixel (x, y) starts at (y × width + x) × ``PixelFormat/channels`` ×
  /// ``SampleType/byteCount``.
  public let pixels: [UInt8]

  /// The number of bytes in a row.
  public var rowBytes: Int { width * format.channels * samples.byteCount }

  /// Creates a picture from its pixels.
  ///
  /// - Parameters:
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - format: the pixel format.
  ///   - samples: the type of a sample.
  ///   - pixels: the bytes of height × width × channels samples, rows from top to bottom.
  /// - Throws: ``ImageError`` when a size is not positive or does not match the number of bytes.
  public init(
    width: Int, height: Int, format: PixelFormat, samples: SampleType = .uint8, pixels: [UInt8]
  ) throws(ImageError) {
    try ImageView.check(width: width, height: height)
    let pixelBytes = format.channels * samples.byteCount
    let count = width.multipliedSaturated(by: height).multipliedSaturated(by: pixelBytes)
    guard count == pixels.count else {
      throw .wrongCount(pixels.count, width: width, height: height, pixelBytes: pixelBytes)
    }
    self.init(checked: width, height, format, samples, pixels)
  }

  /// Creates a picture from checked sizes.
  init(
    checked width: Int, _ height: Int, _ format: PixelFormat, _ samples: SampleType = .uint8,
    _ pixels: [UInt8]
  ) {
    self.width = width
    self.height = height
    self.format = format
    self.samples = samples
    self.pixels = pixels
  }

  /// Creates a picture whose size is within the limits; `fill` writes every byte.
  init(
    filling width: Int, _ height: Int, _ format: PixelFormat, _ samples: SampleType = .uint8,
    _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(ImageError) -> Void
  ) throws(ImageError) {
    let count = width * height * format.channels * samples.byteCount
    let pixels = try [UInt8](filling: count) { buffer throws(ImageError) in
      try fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      return count
    }
    self.init(checked: width, height, format, samples, pixels)
  }
}

extension Image: CustomStringConvertible {
  /// The size and the format: `224×224 rgb`, or `224×224 rgb uint16`.
  public var description: String {
    let size = "\(Size(width: width, height: height)) \(format)"
    return samples == .uint8 ? size : "\(size) \(samples)"
  }
}
