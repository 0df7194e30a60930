/// How large a picture, and the file that holds it, may be; checked before memory is taken.
///
/// A file of a few hundred bytes can claim any size. Besides these limits, a size that the file's
/// bytes cannot hold (deflate makes data at most 1,032 times smaller, a JPEG block takes a bit) is
/// refused before memory is taken, so that only a large file can ask for much memory; for the rare
/// JPEG files with arithmetic coding, which can be of any smallness, the limits alone hold.
public struct ImageLimits: Hashable, Sendable {
  /// The most pixels that any limit allows: 2³².
  static let mostPixels = 1 << 32

  /// The most pixels of a picture.
  public let maximumPixels: Int
  /// The most bytes of a file.
  public let maximumFileBytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumPixels: width × height, 2²⁸ (268,435,456) by default and at most 2³².
  ///   - maximumFileBytes: the most bytes of a file, 2³⁰ by default.
  public init(maximumPixels: Int = 1 << 28, maximumFileBytes: Int = 1 << 30) {
    self.maximumPixels = min(maximumPixels, Self.mostPixels)
    self.maximumFileBytes = maximumFileBytes
  }

  /// Throws unless `width` by `height` pixels are within the limit.
  func check(width: Int, height: Int) throws(ImageError) {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, product <= maximumPixels else {
      throw .tooManyPixels(width: width, height: height, most: maximumPixels)
    }
  }
}
