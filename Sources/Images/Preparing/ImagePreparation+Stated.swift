import Forge

extension ImagePreparation {
  /// The preparation that the metadata of a network states.
  ///
  /// ```swift
  /// for (input, stated) in network.metadata.pictures {
  ///   print(input, ImagePreparation(stated).normalization)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - stated: what is stated.
  ///   - background: the color behind transparent pixels.
  ///   - limits: the limits on the size of the result.
  public init(
    _ stated: PicturePreparation, background: PixelColor = .white,
    limits: ImageLimits = ImageLimits()
  ) {
    let order: ChannelOrder =
      switch stated.colors {
      case .gray: .gray
      case .rgb: .rgb
      case .bgr: .bgr
      }
    let crop: ImageCrop =
      switch stated.fit {
      case .stretched: .none
      case .center: .center
      case .shorterSide(let side): .shorterSide(side)
      case .shorterSideFloored(let side): .shorterSideFloored(side)
      case .letterbox(let gray): .letterbox(PixelColor(gray: gray))
      }
    let filter: ResamplingFilter =
      switch stated.filter {
      case .nearest: .nearest
      case .bilinear: .bilinear
      case .bilinearAliased: .bilinearAliased
      case .bicubic: .bicubic
      case .lanczos: .lanczos
      case .area: .area
      }
    var size: Size?
    if let width = stated.width, let height = stated.height {
      size = Size(width: width, height: height)
    }
    self.init(
      size: size, crop: crop, filter: filter,
      normalization: PixelNormalization(order: order, scale: stated.scale, bias: stated.bias),
      background: background, limits: limits)
  }

  /// The preparation in the form of a model's metadata; `nil` for what metadata cannot express: a
  /// mean image, one plane per channel, a rectangle, a fraction, a border that is not gray.
  ///
  /// ```swift
  /// var described = model
  /// described.metadata.pictures["image"] = ImagePreparation.torchvision().stated
  /// ```
  public var stated: PicturePreparation? {
    guard meanImage == nil, layout == .channelsLast else { return nil }
    let colors: PicturePreparation.Colors =
      switch normalization.order {
      case .gray: .gray
      case .rgb: .rgb
      case .bgr: .bgr
      }
    let filter: PicturePreparation.Filter =
      switch filter {
      case .nearest: .nearest
      case .bilinear: .bilinear
      case .bilinearAliased: .bilinearAliased
      case .bicubic: .bicubic
      case .lanczos: .lanczos
      case .area: .area
      }
    let fit: PicturePreparation.Fit
    switch crop {
    case .none: fit = .stretched
    case .center(fraction: 1): fit = .center
    case .shorterSide(let side): fit = .shorterSide(side)
    case .shorterSideFloored(let side): fit = .shorterSideFloored(side)
    case .letterbox(let color) where color == PixelColor(gray: color.red):
      fit = .letterbox(color.red)
    case .center, .rectangle, .letterbox: return nil
    }
    return PicturePreparation(
      width: size?.width, height: size?.height, colors: colors, scale: normalization.scale,
      bias: normalization.bias, fit: fit, filter: filter)
  }
}

extension CompiledModel {
  /// The preparation for a task: the one that is given, or the one that the metadata states.
  ///
  /// - Throws: ``ImageError`` when there is neither.
  func preparation(
    _ given: ImagePreparation?, of input: String
  ) throws(ImageError) -> ImagePreparation {
    if let given { return given }
    guard let stated = metadata.pictures[input] else {
      throw ImageError(
        .invalidArgument, "nothing says how pictures are prepared for the input \"\(input)\"",
        needs: "a preparation, such as .torchvision(), as the network was trained",
        remedy: "state it in the task, or in metadata.pictures of the model")
    }
    return ImagePreparation(stated)
  }
}
