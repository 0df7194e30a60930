/// The channels of a pixel.
public enum PixelFormat: Int, Hashable, Sendable {
  /// One byte: black 0 to white 255.
  case gray = 1
  /// Three bytes: red, green, blue.
  case rgb = 3
  /// Four bytes: red, green, blue and alpha; the colors are not premultiplied.
  case rgba = 4

  /// The number of bytes in a pixel.
  public var channels: Int { rawValue }
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

  /// White.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
}
