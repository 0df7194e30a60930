import ForgeShapes

/// Limits on the size of a picture and its file, checked before memory is allocated.
///
/// A file of a few hundred bytes can claim any size, and a valid small file can hold a large
/// picture of one color. Decoding needs at most the sum of these:
///
/// - the bytes of the file;
/// - the picture itself: width × height × ``PixelFormat/channels`` bytes, at most four times
///   ``maximumPixels``;
/// - ``maximumWorkingBytes``: the coefficients of a JPEG file with several scans (two bytes per
///   sample of each component), and some rows.
///
/// A size that the file's bytes cannot hold is rejected before memory is allocated: the maximum
/// compression ratio of deflate is 1,032, and a JPEG block takes at least one bit. JPEG files with
/// arithmetic coding have no such minimum, so only the limits apply to them.
///
/// Time is also bounded: it is proportional to the pixels and the bytes of the file. The scans of a
/// JPEG file may cover the picture twelve times, plus one block per byte of the file; encoders use
/// four to eight passes.
public struct ImageLimits: Hashable, Sendable {
  /// The maximum number of pixels of a picture.
  public let maximumPixels: Int
  /// The maximum number of pixels along a side; even a row of one pixel takes time.
  public let maximumSide: Int
  /// The maximum number of bytes of a file.
  public let maximumFileBytes: Int
  /// The maximum number of bytes that decoding may use in addition to the file and the picture.
  public let maximumWorkingBytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumPixels: width × height, 2²⁶ (67,108,864) by default and at most 2³².
  ///   - maximumSide: the maximum number of pixels per row and of rows, 2²⁰ (1,048,576) by default.
  ///   - maximumFileBytes: the maximum number of bytes of a file, 2³⁰ by default.
  ///   - maximumWorkingBytes: the maximum number of bytes in addition to the file and the picture,
  ///     200,000,000 by default: enough for progressive JPEG files of 64 million pixels with
  ///     colors at half the resolution (4:2:0), or 32 million at full resolution.
  public init(
    maximumPixels: Int = 1 << 26, maximumSide: Int = 1 << 20, maximumFileBytes: Int = 1 << 30,
    maximumWorkingBytes: Int = 200_000_000
  ) {
    self.maximumPixels = min(maximumPixels, 1 << 32)
    self.maximumSide = maximumSide
    self.maximumFileBytes = maximumFileBytes
    self.maximumWorkingBytes = maximumWorkingBytes
  }

  /// Throws unless `width` by `height` pixels are within the limits.
  func check(width: Int, height: Int) throws(ImageError) {
    guard width.multipliedSaturated(by: height) <= maximumPixels else {
      throw .tooManyPixels(width: width, height: height, most: maximumPixels)
    }
    guard max(width, height) <= maximumSide else {
      throw .tooLongSide(width: width, height: height, most: maximumSide)
    }
  }
}
