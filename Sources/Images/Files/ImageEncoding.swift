/// The form of a picture file that is written.
public enum ImageEncoding: Hashable, Sendable {
  /// PNG: gray, RGB or RGBA of 8 or 16 bits, without loss; `compression` from 0 (fast) to 9
  /// (small).
  case png(compression: Int)
  /// JPEG: gray or RGB of 8 bits; `quality` from 1 to 100, as in libjpeg.
  ///
  /// From 90 on, colors keep their resolution (4:4:4); below, they have half of it (4:2:0).
  case jpeg(quality: Int)
  /// PPM or PGM: RGB or gray of 8 or 16 bits, without compression.
  case portableAnymap

  /// PNG with libpng's usual compression.
  public static let png = ImageEncoding.png(compression: 6)
  /// JPEG of quality 90.
  public static let jpeg = ImageEncoding.jpeg(quality: 90)

  /// The form that the end of a file's name asks for: png, jpg, jpeg, ppm or pgm; `nil` for others.
  public init?(path: String) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    switch name[name.index(after: dot)...].lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    case "ppm", "pgm": self = .portableAnymap
    default: return nil
    }
  }
}
