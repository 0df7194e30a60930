import Forge

/// The first line of a Y4M file: `YUV4MPEG2 W640 H480 F30:1 Ip C420jpeg`.
enum VideoHeader {
  /// The most bytes of a header, and of the line before a frame.
  static let mostBytes = 4096
  static let magic = "YUV4MPEG2"
  static let frameMagic = "FRAME"

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - line: the bytes without the line feed.
  ///   - limits: the limits on the size of a frame.
  /// - Returns: the form of the frames.
  /// - Throws: ``ImageError``: `unknownFormat`, `damaged`, `unsupported`, `tooLarge`.
  static func format(_ line: [UInt8], limits: ImageLimits) throws(ImageError) -> VideoFormat {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.first == magic else { throw .notVideo(words.first ?? "") }
    var (width, height): (Int?, Int?)
    var (rate, colorSpace): (Double?, String) = (nil, "420jpeg")
    var range = FrameColors.Range.video
    for word in words.dropFirst() {
      let value = String(word.dropFirst())
      switch word.first {
      case "W": width = try number(value, of: "width")
      case "H": height = try number(value, of: "height")
      case "F": rate = try self.rate(value)
      case "I":
        // Unknown frames are taken as whole ones.
        guard value == "p" || value == "?" else { throw .interlaced(value) }
      case "C": colorSpace = value
      case "X" where value.uppercased() == "COLORRANGE=FULL": range = .full
      default: break
      }
    }
    guard let width, let height else {
      throw .damaged("Y4M", "a header without a size", needs: "W and H, such as W640 H480")
    }
    var format = VideoFormat(width: width, height: height, pixels: .gray, framesPerSecond: rate)
    switch colorSpace {
    case "420", "420jpeg", "420mpeg2", "420paldv":
      format.layout = .frame(.i420, FrameColors(range: range))
    case "mono": break
    default: throw .colorSpace(colorSpace)
    }
    try format.check(limits)
    return format
  }

  /// A whole number above 0.
  private static func number(_ text: String, of what: String) throws(ImageError) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw .damaged("Y4M", "a \(what) of \"\(text.prefix(20).printable)\"", needs: "a number")
    }
    // A number of any length is a size beyond all limits.
    return Int(text) ?? .max
  }

  /// The frames of a second: `30000:1001`; `nil` for `0:0`.
  private static func rate(_ text: String) throws(ImageError) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let frames = Int(parts[0]), let seconds = Int(parts[1]), frames >= 0,
      seconds >= 0, (frames == 0) == (seconds == 0)
    else {
      throw .damaged(
        "Y4M", "a rate of \"\(text.prefix(20).printable)\"", needs: "two numbers, such as 30:1")
    }
    return frames == 0 ? nil : Double(frames) / Double(seconds)
  }
}
