import Forge

extension ModelMetadata {
  /// The colors that an input can take: gray for one channel, red, green and blue for three; `nil`
  /// for an input that is not a picture.
  static func colors(of input: Tensor) -> PicturePreparation.Colors? {
    guard let shape = input.shape, shape.isImage else { return nil }
    return shape.channels == 1 ? .gray : shape.channels == 3 ? .rgb : nil
  }

  /// States how pictures are prepared, if an ONNX file says so and has one input for pictures.
  ///
  /// - `Image.BitmapPixelFormat` and `Image.NominalPixelRange` are the keys that ONNX proposes.
  /// - Ultralytics writes `author`, `task`, `stride` and `imgsz`. Its classifiers take the center
  ///   of a picture whose shorter side was resized, its other networks the whole picture in a gray
  ///   border, both with values from 0 to 1.
  mutating func stateONNXPictures(_ names: [String], _ model: Model) {
    let found = zip(names, model.inputs).compactMap { name, input in
      Self.colors(of: input).map { (name: name, colors: $0, shape: input.shape) }
    }
    guard found.count == 1, let (name, colors, shape) = found.first else { return }
    if let stated = statedByKeys(colors) {
      pictures[name] = stated
    } else if values["author"] == "Ultralytics", values["stride"] != nil, let task = values["task"]
    {
      let numbers = (values["imgsz"] ?? "").split { !$0.isNumber }.compactMap { Int($0) }
      let sizes = numbers.count == 1 ? [numbers[0], numbers[0]] : numbers
      var stated = PicturePreparation(
        colors: colors, scale: [1 / 255], fit: .letterbox(114), filter: .bilinearAliased)
      if sizes.count == 2, let height = shape?.height, let width = shape?.width,
        (1...height).contains(sizes[0]), (1...width).contains(sizes[1])
      {
        (stated.height, stated.width) = (sizes[0], sizes[1])
      }
      if task == "classify", sizes.count == 2, sizes[0] == sizes[1] {
        stated.fit = .shorterSide(sizes[0])
        stated.filter = .bilinear
      }
      pictures[name] = stated
    }
  }

  /// What the keys of ONNX say; `nil` without them, and for pixels that the input cannot have.
  private func statedByKeys(_ colors: PicturePreparation.Colors) -> PicturePreparation? {
    let (format, range) = (values["Image.BitmapPixelFormat"], values["Image.NominalPixelRange"])
    guard format != nil || range != nil else { return nil }
    var stated = PicturePreparation(colors: colors)
    switch format {
    case "Gray8": stated.colors = .gray
    case "Rgb8": stated.colors = .rgb
    case "Bgr8": stated.colors = .bgr
    case nil: break
    default: return nil
    }
    switch range {
    case "Normalized_0_1": stated.scale = [1 / 255]
    case "Normalized_1_1": (stated.scale, stated.bias) = ([1 / 127.5], [-1])
    case "NominalRange_16_235": (stated.scale, stated.bias) = ([219.0 / 255], [16])
    case "NominalRange_0_255", nil: break
    default: return nil
    }
    return stated.colors.channels == colors.channels ? stated : nil
  }
}
