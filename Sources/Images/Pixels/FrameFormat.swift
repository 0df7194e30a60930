import CForgePixels

/// The arrangement of a camera's or a video's frame: brightness y, and colors u and v of a part of
/// the resolution, 8 bits each.
public enum FrameFormat: Hashable, Sendable {
  /// Three planes: y, u, v; u and v have half the width and height, rounded up.
  case i420
  /// Two planes: y; u and v in turn, of half the width and height, rounded up.
  case nv12
  /// Two planes: y; v and u in turn, of half the width and height, rounded up.
  case nv21
  /// One plane of y, u, y, v for each two pixels of a row.
  case yuyv

  /// The number of planes.
  public var planeCount: Int {
    switch self {
    case .i420: 3
    case .nv12, .nv21: 2
    case .yuyv: 1
    }
  }

  /// The number of bytes in a row of a plane, without padding.
  ///
  /// - Parameters:
  ///   - plane: the plane, from 0.
  ///   - width: the width of the frame in pixels, at least 1.
  /// - Returns: the number of bytes; 0 if there is no such plane.
  public func rowBytes(plane: Int, width: Int) -> Int {
    let half = width / 2 + width % 2
    return switch (self, plane) {
    case (.yuyv, 0): half.multipliedSaturated(by: 4)
    case (.i420, 0), (.nv12, 0), (.nv21, 0): width
    case (.i420, 1), (.i420, 2): half
    case (.nv12, 1), (.nv21, 1): half.multipliedSaturated(by: 2)
    default: 0
    }
  }

  /// The number of rows of a plane of a frame of `height` rows.
  ///
  /// - Parameters:
  ///   - plane: the plane, from 0.
  ///   - height: the height of the frame in pixels, at least 1.
  /// - Returns: the number of rows; 0 if there is no such plane.
  public func rows(plane: Int, height: Int) -> Int {
    guard (0..<planeCount).contains(plane) else { return 0 }
    return plane == 0 ? height : height / 2 + height % 2
  }

  var kind: Int32 {
    let kind =
      switch self {
      case .i420: FORGE_PIXELS_I420
      case .nv12: FORGE_PIXELS_NV12
      case .nv21: FORGE_PIXELS_NV21
      case .yuyv: FORGE_PIXELS_YUYV
      }
    return Int32(kind.rawValue)
  }
}

/// What the samples of a frame mean as colors.
///
/// With `K` the shares of red and blue in the brightness:
///
/// ```
/// red   = Y + 2·(1 − Kr)·V
/// green = Y − 2·(1 − Kr)·Kr/Kg·V − 2·(1 − Kb)·Kb/Kg·U
/// blue  = Y + 2·(1 − Kb)·U
/// ```
///
/// In the full range `Y = y`, `U = u − 128` and `V = v − 128`. In the video range
/// `Y = 255/219·(y − 16)`, `U = 255/224·(u − 128)`, and V alike. The arithmetic has 20 fraction
/// bits; with BT.601 in the video range it is OpenCV's, bit for bit. Each u and v counts for all of
/// its pixels, without interpolation.
public struct FrameColors: Hashable, Sendable {
  /// The shares of red, green and blue in the brightness.
  public enum Matrix: Hashable, Sendable {
    /// BT.601: red 0.299, blue 0.114; cameras, JPEG, video of low resolution.
    case bt601
    /// BT.709: red 0.2126, blue 0.0722; video of high resolution.
    case bt709
    /// BT.2020 with constant matrix: red 0.2627, blue 0.0593; video of 4K and above.
    case bt2020
  }

  /// The range of the samples.
  public enum Range: Hashable, Sendable {
    /// Black 16 to white 235; u and v from 16 to 240.
    case video
    /// 0 to 255.
    case full
  }

  /// The matrix.
  public var matrix: Matrix
  /// The range of the samples.
  public var range: Range

  /// Creates a meaning of samples.
  public init(matrix: Matrix = .bt601, range: Range = .video) {
    self.matrix = matrix
    self.range = range
  }

  /// The numbers with 20 fraction bits.
  var fixedPoint: forge_color_matrix {
    if self == FrameColors() {
      // As OpenCV rounds them.
      return forge_color_matrix(
        black: 16, y_scale: 1_220_542, v_red: 1_673_527, v_green: -852_492, u_green: -409_993,
        u_blue: 2_116_026)
    }
    let (red, blue) =
      switch matrix {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    let green = 1 - red - blue
    let chroma = range == .video ? 255.0 / 224 : 1
    func fixed(_ value: Double) -> Int32 { Int32((value * Double(1 << 20)).rounded()) }
    return forge_color_matrix(
      black: range == .video ? 16 : 0, y_scale: fixed(range == .video ? 255.0 / 219 : 1),
      v_red: fixed(2 * (1 - red) * chroma), v_green: fixed(-2 * (1 - red) * red / green * chroma),
      u_green: fixed(-2 * (1 - blue) * blue / green * chroma),
      u_blue: fixed(2 * (1 - blue) * chroma))
  }
}
