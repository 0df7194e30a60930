import Forge

/// The part of a picture that a network receives.
public enum ImageCrop: Hashable, Sendable {
  /// The whole picture, stretched to the network's shape.
  case none
  /// The largest centered rectangle of the network's shape, scaled by `fraction`.
  ///
  /// With 1 this is Pillow's `ImageOps.fit`; 0.875 is the usual "resize to 256, crop the central
  /// 224".
  case centre(fraction: Double)
  /// A rectangle in pixels of the picture, stretched to the network's shape.
  case rectangle(CropRectangle)

  /// The largest centered rectangle of the network's shape.
  public static let centre = ImageCrop.centre(fraction: 1)
}

/// How pictures are converted to the input of a network: crop, size and normalization.
///
/// In order, it composites transparent pictures over the background, converts channels to gray or
/// RGB, crops and resizes, and reorders, scales and shifts channels.
///
/// ```swift
/// let preparation = ImagePreparation(width: 224, height: 224, normalization: .keras(.tf))
/// let input = try Image(contentsOf: "cat.jpg").values(prepared: preparation)  // 224×224×3
/// ```
public struct ImagePreparation: Hashable, Sendable {
  /// The width and height of the network's input; `nil` keeps those of the picture or its part.
  public var size: Size?
  /// The part of the picture that is used.
  public var crop: ImageCrop
  /// The resampling filter.
  public var filter: ResamplingFilter
  /// The order of the channels and their scale and bias.
  public var normalization: PixelNormalization
  /// The color behind transparent pixels.
  public var background: PixelColor
  /// The limits on the size of the result.
  public var limits: ImageLimits

  /// Creates a preparation.
  ///
  /// - Parameters:
  ///   - size: the width and height of the network's input; `nil` keeps those of the picture.
  ///   - crop: the part of the picture that is used.
  ///   - filter: the resampling filter.
  ///   - normalization: the order of the channels and their scale and bias.
  ///   - background: the color behind transparent pixels.
  ///   - limits: the limits on the size of the result.
  public init(
    size: Size? = nil, crop: ImageCrop = .none, filter: ResamplingFilter = .bilinear,
    normalization: PixelNormalization, background: PixelColor = .white,
    limits: ImageLimits = ImageLimits()
  ) {
    self.size = size
    self.crop = crop
    self.filter = filter
    self.normalization = normalization
    self.background = background
    self.limits = limits
  }

  /// Creates a preparation for a network whose input is `width` by `height` pixels.
  ///
  /// - Parameters:
  ///   - width: the width of the network's input in pixels.
  ///   - height: the height of the network's input in pixels.
  ///   - crop: the part of the picture that is used.
  ///   - filter: the resampling filter.
  ///   - normalization: the order of the channels and their scale and bias.
  ///   - background: the color behind transparent pixels.
  ///   - limits: the limits on the size of the result.
  public init(
    width: Int, height: Int, crop: ImageCrop = .none, filter: ResamplingFilter = .bilinear,
    normalization: PixelNormalization, background: PixelColor = .white,
    limits: ImageLimits = ImageLimits()
  ) {
    self.init(
      size: Size(width: width, height: height), crop: crop, filter: filter,
      normalization: normalization, background: background, limits: limits)
  }

  /// The rectangle of `image` that is sampled; `nil` for the whole image.
  func box(of image: Image) throws(ImageError) -> CropRectangle? {
    switch crop {
    case .none: return nil
    case .rectangle(let box):
      try image.check(box)
      return box
    case .centre(let fraction):
      guard fraction > 0, fraction <= 1 else { throw .badFraction(fraction) }
      return centre(of: image, fraction: fraction)
    }
  }

  private func centre(of image: Image, fraction: Double) -> CropRectangle {
    var (width, height) = (Double(image.width), Double(image.height))
    if let size {
      let wanted = Double(size.width) / Double(size.height)
      if width / height > wanted {
        width = wanted * height
      } else if width / height < wanted {
        height = width / wanted
      }
    }
    (width, height) = (width * fraction, height * fraction)
    return CropRectangle(
      x: (Double(image.width) - width) * 0.5, y: (Double(image.height) - height) * 0.5,
      width: width, height: height)
  }

  /// The size of the result for a crop of `image`.
  func size(of image: Image, box: CropRectangle?) -> Size {
    if let size { return size }
    guard let box else { return Size(width: image.width, height: image.height) }
    return Size(
      width: max(1, Int(box.width.rounded())), height: max(1, Int(box.height.rounded())))
  }
}
