import CForgePixels
import Forge

/// How pictures are converted to the input of a network: crop, size and normalization.
///
/// In order, it composites transparent pictures over the background, converts channels to gray or
/// RGB, crops and resizes, and reorders, scales and shifts channels. All of it is one pass over the
/// picture: see ``ImagePreparer``.
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
  /// The order of the values: channels of a pixel next to each other, as everywhere in Forge, or
  /// one plane per channel.
  public var layout = ImageLayout.channelsLast
  /// A mean image: `y = (x − mean) · scale + bias` for each pixel and channel.
  ///
  /// Its shape is that of the result with the channels last; its values are in the range of the
  /// pixels, 0 to 255, in the order of the normalization's channels.
  public var meanImage: TensorValues?

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

  // MARK: Presets

  /// The preparation of torchvision's classifiers.
  ///
  /// The shorter side is resized to `shorterSide` pixels with antialiasing, the center is cropped,
  /// and each channel becomes `(x / 255 − mean) / deviation` of ImageNet: the transforms
  /// `Resize(256)`, `CenterCrop(224)`, `ToTensor()` and `Normalize` on a picture of bytes.
  ///
  /// - Parameters:
  ///   - size: the width and height of the network's input.
  ///   - shorterSide: the shorter side before the crop, at least `size`.
  /// - Returns: the preparation.
  public static func torchvision(size: Int = 224, shorterSide: Int = 256) -> ImagePreparation {
    ImagePreparation(
      width: size, height: size, crop: .shorterSide(shorterSide), normalization: .torch)
  }

  /// The preparation of YOLO networks by Ultralytics.
  ///
  /// The picture keeps its shape and is centered in a gray border. It is resized as OpenCV's
  /// `INTER_LINEAR` does, and its values are `x / 255`, RGB.
  ///
  /// - Parameters:
  ///   - gray: the border, 0 to 255.
  ///   - width: the width of the network's input in pixels.
  ///   - height: the height of the network's input in pixels.
  /// - Returns: the preparation.
  public static func letterbox(
    _ gray: UInt8 = 114, width: Int, height: Int
  ) -> ImagePreparation {
    ImagePreparation(
      width: width, height: height, crop: .letterbox(PixelColor(gray: gray)),
      filter: .bilinearAliased, normalization: .unitRange)
  }

  // MARK: Geometry

  /// Where the pixels of a prepared picture come from.
  ///
  /// - Parameters:
  ///   - width: the width of the picture in pixels.
  ///   - height: the height of the picture in pixels.
  /// - Returns: the geometry, which maps boxes, points and masks back to the picture.
  /// - Throws: ``ImageError`` when a size, a rectangle or a fraction is invalid for the picture.
  public func geometry(width: Int, height: Int) throws(ImageError) -> ImageGeometry {
    try ImageView.check(width: width, height: height)
    return try plan(Size(width: width, height: height)).geometry
  }

  private func plan(_ source: Size) throws(ImageError) -> CropPlan {
    if let size, !size.isPositive { throw .badSize(width: size.width, height: size.height) }
    let plan = try CropPlan(crop, of: source, to: size)
    try limits.check(width: plan.whole.width, height: plan.whole.height)
    try limits.check(width: plan.output.width, height: plan.output.height)
    return plan
  }

  // MARK: Requests

  /// The way through the pixels of a picture of this form.
  func request(
    _ source: PixelSource, element: PixelValues.Element
  ) throws(ImageError) -> (PixelRequest, ImageGeometry) {
    try normalization.check()
    let crop = try plan(Size(width: source.width, height: source.height))
    let isGray = normalization.order == .gray || source.isGray
    var request = PixelRequest(
      source: source, isGray: isGray, alpha: FORGE_ALPHA_BLENDED, background: background,
      filter: filter, columns: crop.columns, rows: crop.rows, wholeWidth: crop.whole.width,
      wholeHeight: crop.whole.height,
      target: .values(try values(crop.output, element)), width: crop.output.width,
      height: crop.output.height)
    (request.left, request.top, request.border) = (crop.left, crop.top, crop.border)
    if request.isUnchanged { request.filter = nil }
    return (request, crop.geometry)
  }

  private func values(
    _ size: Size, _ element: PixelValues.Element
  ) throws(ImageError) -> PixelValues {
    let channels = normalization.order.channels
    func each(_ factors: [Double]) -> [Double] {
      factors.count == 1 ? Array(repeating: factors[0], count: channels) : factors
    }
    let lanes: [Int32] =
      switch normalization.order {
      case .gray: [0]
      case .rgb: [0, 1, 2]
      case .bgr: [2, 1, 0]
      }
    return PixelValues(
      element: element, lanes: lanes, scale: each(normalization.scale),
      bias: each(normalization.bias), isChannelsFirst: layout == .channelsFirst,
      mean: try mean(size, element, scale: each(normalization.scale)))
  }

  /// What is subtracted from each value, in the layout of the result.
  private func mean(
    _ size: Size, _ element: PixelValues.Element, scale: [Double]
  ) throws(ImageError) -> [Float]? {
    guard let meanImage else { return nil }
    let channels = scale.count
    let shape = Shape(width: size.width, height: size.height, channels: channels)
    let count = size.width * size.height * channels
    guard meanImage.shape == shape, meanImage.values.count == count else {
      throw .wrongMean("\(meanImage.shape)", needs: "\(shape)")
    }
    guard element == .float32 else {
      throw .wrongMean("values of bytes", needs: "values of Float")
    }
    let plane = size.width * size.height
    var values = [Float](repeating: 0, count: count)
    for index in 0..<count {
      let (pixel, channel) = index.quotientAndRemainder(dividingBy: channels)
      let target = layout == .channelsFirst ? channel * plane + pixel : index
      values[target] = Float(Double(meanImage.values[index]) * scale[channel])
    }
    return values
  }
}
