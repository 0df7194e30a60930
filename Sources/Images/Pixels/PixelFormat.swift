import CForgePixels

/// The channels of a pixel, in the order of memory.
///
/// ```swift
/// print(PixelFormat.bgra.channels)  // 4
/// ```
public enum PixelFormat: Int, Hashable, Sendable {
  /// One sample: black to white.
  case gray = 1
  /// Red, green, blue.
  case rgb = 3
  /// Red, green, blue and alpha; the colors are not premultiplied.
  case rgba = 4
  /// Blue, green, red.
  case bgr = 13
  /// Blue, green, red and alpha; the colors are not premultiplied.
  case bgra = 14
  /// Alpha, red, green, blue; the colors are not premultiplied.
  case argb = 24

  /// The number of samples in a pixel.
  public var channels: Int {
    switch self {
    case .gray: 1
    case .rgb, .bgr: 3
    case .rgba, .bgra, .argb: 4
    }
  }

  /// Whether a pixel has an alpha.
  public var hasAlpha: Bool { channels == 4 }

  /// The number of the C module.
  var kind: Int32 {
    let kind =
      switch self {
      case .gray: FORGE_PIXELS_GRAY
      case .rgb: FORGE_PIXELS_RGB
      case .rgba: FORGE_PIXELS_RGBA
      case .bgr: FORGE_PIXELS_BGR
      case .bgra: FORGE_PIXELS_BGRA
      case .argb: FORGE_PIXELS_ARGB
      }
    return Int32(kind.rawValue)
  }
}

/// The type of a sample of a picture.
public enum SampleType: Hashable, Sendable {
  /// 8 bits: 0 to 255.
  case uint8
  /// 16 bits in the byte order of the machine: 0 to 65535.
  case uint16
  /// Float32 in the byte order of the machine: 0 (black) to 1 (white), and beyond.
  case float32

  /// The number of bytes of a sample.
  public var byteCount: Int {
    switch self {
    case .uint8: 1
    case .uint16: 2
    case .float32: 4
    }
  }

  /// The sample of white.
  var white: Double {
    switch self {
    case .uint8: 255
    case .uint16: 65535
    case .float32: 1
    }
  }

  /// The number of the C module.
  var number: Int32 {
    let number =
      switch self {
      case .uint8: FORGE_SAMPLE_U8
      case .uint16: FORGE_SAMPLE_U16
      case .float32: FORGE_SAMPLE_F32
      }
    return Int32(number.rawValue)
  }
}

/// A color with 8 bits per channel.
public struct PixelColor: Hashable, Sendable {
  /// Red, 0 to 255.
  public let red: UInt8
  /// Green, 0 to 255.
  public let green: UInt8
  /// Blue, 0 to 255.
  public let blue: UInt8

  /// Creates a color.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Creates a gray.
  ///
  /// - Parameter level: black 0 to white 255.
  public init(gray level: UInt8) {
    self.init(red: level, green: level, blue: level)
  }

  /// White.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
}
