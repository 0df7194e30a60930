import ForgeImages

/// A picture whose form, not its altered bytes, asks for much time or memory.
struct HostilePicture: Sendable {
  /// What the default limits make of it.
  enum Outcome: Equatable, Sendable {
    case picture(width: Int, height: Int, PixelFormat)
    case error(ImageError.Kind)

    /// The bytes of the picture.
    var byteCount: Int {
      switch self {
      case .picture(let width, let height, let format): width * height * format.channels
      case .error: 0
      }
    }
  }

  let name: String
  let outcome: Outcome
  let make: @Sendable () -> [UInt8]

  private init(_ name: String, _ outcome: Outcome, _ make: @escaping @Sendable () -> [UInt8]) {
    (self.name, self.outcome, self.make) = (name, outcome, make)
  }

  private static let limits = ImageLimits()

  /// The side of the largest square that the default limits allow, whole blocks of 16 pixels.
  static let side = Int(Double(limits.maximumPixels).squareRoot()) / 16 * 16

  /// The sides of the longest picture of the most pixels.
  private static let longSide = limits.maximumSide
  private static let shortSide = limits.maximumPixels / limits.maximumSide

  static let all = jpeg + png

  private static let jpeg = [
    HostilePicture("grey, the usual scans", .picture(width: side, height: side, .gray)) {
      progressive(FlatJPEG.usualScans(components: 1), components: 1).bytes
    },
    HostilePicture("the last scan again and again", .error(.damaged)) {
      let usual = FlatJPEG.usualScans(components: 1)
      return progressive(usual + usual.suffix(1), copies: 480, components: 1).bytes
    },
    HostilePicture("a scan for each coefficient", .error(.tooLarge)) {
      progressive(scanForEachCoefficient, components: 1).bytes
    },
    HostilePicture("scans of arithmetic codes without end", .error(.tooLarge)) {
      // Its coefficients, six bytes for each pixel, take seven eighths of what is allowed.
      let height = min(limits.maximumWorkingBytes / 8 * 7 / 6, limits.maximumPixels) / 4096 / 8 * 8
      var file = FlatJPEG(width: 4096, height: height, components: 3, coding: .arithmetic)
      file.scans = (0..<300).map { FlatJPEG.Scan(components: [$0 % 3], band: 0...63) }
      return file.bytes
    },
    HostilePicture("colours whose coefficients take six bytes a pixel", .error(.tooLarge)) {
      progressive(FlatJPEG.usualScans(components: 3), components: 3).bytes
    },
    HostilePicture("CMYK", .picture(width: side, height: side, .rgb)) {
      FlatJPEG(width: side, height: side, components: 4).bytes
    },
    HostilePicture("a turned picture", .picture(width: side, height: side, .rgb)) {
      var file = FlatJPEG(width: side, height: side, components: 3)
      file.orientation = 6
      return file.bytes
    },
    HostilePicture("arithmetic codes", .picture(width: side, height: side, .rgb)) {
      FlatJPEG(width: side, height: side, components: 3, coding: .arithmetic).bytes
    },
    HostilePicture("more pixels than by default", .error(.tooLarge)) {
      FlatJPEG(width: 2 * side, height: side).bytes
    },
  ]

  private static let png = [
    HostilePicture("a bit for each pixel", .picture(width: side, height: side, .rgba)) {
      palette(width: side, height: side).bytes
    },
    HostilePicture("a bit, in passes", .picture(width: side, height: side, .rgba)) {
      var file = palette(width: side, height: side)
      file.isInterlaced = true
      return file.bytes
    },
    HostilePicture("16 bits", .picture(width: side, height: side, .rgba)) {
      FlatPNG(width: side, height: side, bits: 16, color: .rgba).bytes
    },
    HostilePicture("a column", .picture(width: 1, height: longSide, .rgba)) {
      palette(width: 1, height: longSide).bytes
    },
    HostilePicture("a column in passes", .picture(width: shortSide, height: longSide, .gray)) {
      FlatPNG(width: shortSide, height: longSide, bits: 1, color: .gray, isInterlaced: true).bytes
    },
    HostilePicture("a row", .picture(width: longSide, height: shortSide, .rgba)) {
      FlatPNG(width: longSide, height: shortSide, bits: 16, color: .rgba, isInterlaced: true).bytes
    },
    HostilePicture("a column of as many rows as pixels are allowed", .error(.tooLarge)) {
      palette(width: 1, height: limits.maximumPixels).bytes
    },
    HostilePicture("more pixels than by default", .error(.tooLarge)) {
      palette(width: 2 * side, height: 2 * side).bytes
    },
  ]

  /// Every coefficient in a scan of its own: allowed, and complete.
  static let scanForEachCoefficient = (0...63).map { FlatJPEG.Scan(components: [0], band: $0...$0) }

  static func progressive(
    _ scans: [FlatJPEG.Scan], copies: Int = 1, components: Int, side: Int = side
  ) -> FlatJPEG {
    var file = FlatJPEG(width: side, height: side, components: components, coding: .progressive)
    file.scans = scans + scans.suffix(1).flatMap { Array(repeating: $0, count: copies - 1) }
    return file
  }

  private static func palette(width: Int, height: Int) -> FlatPNG {
    FlatPNG(width: width, height: height, bits: 1, color: .palette, isTransparent: true)
  }
}
