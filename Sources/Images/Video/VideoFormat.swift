import Forge

/// The form of all frames of a video.
///
/// ```swift
/// let camera = VideoFormat(width: 1280, height: 720, frame: .nv12, framesPerSecond: 30)
/// print(camera.frameBytes)  // 1382400
/// ```
public struct VideoFormat: Hashable, Sendable {
  /// How the bytes of a frame are arranged.
  public enum Layout: Hashable, Sendable {
    /// Brightness and colors, as cameras and decoders deliver them; planes without padding.
    case frame(FrameFormat, FrameColors)
    /// Pixels of 8 bits per channel; rows without padding.
    case pixels(PixelFormat)
  }

  /// The number of pixels in a row.
  public var width: Int
  /// The number of rows.
  public var height: Int
  /// How the bytes of a frame are arranged.
  public var layout: Layout
  /// The frames per second; `nil` if unknown.
  public var framesPerSecond: Double?

  /// Creates the form of frames of brightness and colors.
  ///
  /// - Parameters:
  ///   - width: the number of pixels in a row; may be odd.
  ///   - height: the number of rows; may be odd.
  ///   - frame: the arrangement of the samples.
  ///   - colors: what the samples mean.
  ///   - framesPerSecond: the frames per second; `nil` if unknown.
  public init(
    width: Int, height: Int, frame: FrameFormat, colors: FrameColors = FrameColors(),
    framesPerSecond: Double? = nil
  ) {
    (self.width, self.height) = (width, height)
    layout = .frame(frame, colors)
    self.framesPerSecond = framesPerSecond
  }

  /// Creates the form of frames of pixels with 8 bits per channel.
  ///
  /// - Parameters:
  ///   - width: the number of pixels in a row.
  ///   - height: the number of rows.
  ///   - pixels: the channels.
  ///   - framesPerSecond: the frames per second; `nil` if unknown.
  public init(width: Int, height: Int, pixels: PixelFormat, framesPerSecond: Double? = nil) {
    (self.width, self.height) = (width, height)
    layout = .pixels(pixels)
    self.framesPerSecond = framesPerSecond
  }

  /// The bytes of a frame; clamped to `Int.max`.
  public var frameBytes: Int {
    switch layout {
    case .frame(let frame, _):
      (0..<frame.planeCount).reduce(0) { sum, plane in
        let rows = frame.rows(plane: plane, height: height)
        return sum.addingSaturated(
          frame.rowBytes(plane: plane, width: width).multipliedSaturated(by: rows))
      }
    case .pixels(let pixels):
      width.multipliedSaturated(by: height).multipliedSaturated(by: pixels.channels)
    }
  }

  /// The time of a frame from the start of the video; `nil` without a rate.
  func time(ofFrame index: Int) -> Duration? {
    guard let framesPerSecond, framesPerSecond > 0 else { return nil }
    let seconds = Double(index) / framesPerSecond
    return seconds < 1e12 ? .seconds(seconds) : nil
  }

  /// - Throws: ``ImageError`` when a size or the rate is out of range or beyond the limits.
  func check(_ limits: ImageLimits) throws(ImageError) {
    try ImageView.check(width: width, height: height)
    try limits.check(width: width, height: height)
    if let rate = framesPerSecond, !(rate > 0 && rate.isFinite) { throw .badRate(rate) }
  }
}
