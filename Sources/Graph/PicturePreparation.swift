import ForgeShapes

/// What a network expects of the pictures in one of its inputs, as its file or its maker states it.
///
/// Pixels from 0 to 255 become `y = x · scale + bias` for each channel. The import of a file fills
/// ``ModelMetadata/pictures``; tasks and tools use it by default. ForgeImages turns it into
/// an `ImagePreparation`.
///
/// ```swift
/// var stated = PicturePreparation(colors: .rgb, scale: [1 / 127.5], bias: [-1])
/// stated.fit = .center
/// var described = model
/// described.metadata.pictures["image"] = stated
/// ```
public struct PicturePreparation: Hashable, Sendable {
  /// The channels of a pixel, in order.
  public enum Colors: String, Hashable, Sendable, CaseIterable {
    /// One channel.
    case gray
    /// Red, green, blue.
    case rgb
    /// Blue, green, red.
    case bgr

    /// The number of channels.
    public var channels: Int { self == .gray ? 1 : 3 }
  }

  /// How a picture with a different aspect ratio is fitted to the input.
  public enum Fit: Hashable, Sendable {
    /// The whole picture, stretched.
    case stretched
    /// The largest centered rectangle with the input's aspect ratio.
    case center
    /// The shorter side is resized to this many pixels, and the center is cropped.
    case shorterSide(Int)
    /// Like ``shorterSide(_:)``, with the crop's offset rounded down.
    case shorterSideFloored(Int)
    /// The full picture, centered with its aspect ratio, in a border of this gray.
    case letterbox(UInt8)
  }

  /// The interpolation of pixels.
  public enum Filter: String, Hashable, Sendable, CaseIterable {
    /// The nearest pixel.
    case nearest
    /// Linear in both directions, antialiased.
    case bilinear
    /// Linear in both directions, not antialiased.
    case bilinearAliased
    /// Cubic in both directions, antialiased.
    case bicubic
    /// Lanczos with three lobes, antialiased.
    case lanczos
    /// The mean of the area of a pixel.
    case area
  }

  /// The columns of the input; `nil` for those of the network.
  public var width: Int?
  /// The rows of the input; `nil` for those of the network.
  public var height: Int?
  /// The channels of a pixel.
  public var colors: Colors
  /// The factors of the channels, or one for all.
  public var scale: [Double]
  /// The numbers that are added to the channels, or one for all.
  public var bias: [Double]
  /// How a picture is fitted to the input.
  public var fit: Fit
  /// The interpolation of pixels.
  public var filter: Filter

  /// Creates a statement.
  ///
  /// - Parameters:
  ///   - width: the columns of the input; `nil` for those of the network.
  ///   - height: the rows of the input; `nil` for those of the network.
  ///   - colors: the channels of a pixel.
  ///   - scale: the factors of the channels, or one for all.
  ///   - bias: the numbers that are added to the channels, or one for all.
  ///   - fit: how a picture is fitted to the input.
  ///   - filter: the interpolation of pixels.
  public init(
    width: Int? = nil, height: Int? = nil, colors: Colors = .rgb, scale: [Double] = [1],
    bias: [Double] = [0], fit: Fit = .stretched, filter: Filter = .bilinear
  ) {
    (self.width, self.height) = (width, height)
    self.colors = colors
    (self.scale, self.bias) = (scale, bias)
    (self.fit, self.filter) = (fit, filter)
  }
}

extension PicturePreparation: CustomStringConvertible {
  /// The statement in one line: `224×224 rgb, times 0.0039, minus …`.
  ///
  /// ```swift
  /// print(PicturePreparation(width: 640, height: 480, scale: [0.5], fit: .letterbox(114)))
  /// // 640×480 rgb, times 0.5, in a border of gray 114
  /// ```
  public var description: String {
    var words = colors.rawValue
    if let width, let height { words = "\(width)×\(height) \(words)" }
    var parts = [words]
    if scale != [1] { parts.append("times \(scale.map { "\($0)" }.joined(separator: " "))") }
    if bias != [0] { parts.append("plus \(bias.map { "\($0)" }.joined(separator: " "))") }
    switch fit {
    case .stretched: break
    case .center: parts.append("the center")
    case .shorterSide(let side), .shorterSideFloored(let side):
      parts.append("the center of a shorter side of \(side)")
    case .letterbox(let gray): parts.append("in a border of gray \(gray)")
    }
    if filter != .bilinear { parts.append(filter.rawValue) }
    return parts.joined(separator: ", ")
  }
}
