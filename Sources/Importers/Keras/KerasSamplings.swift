import Forge

/// Layers that change the size of images and sequences.
enum KerasSamplings {
  static let classes: [KerasClass] = [
    .spatial("UpSampling2D", build: upSampling),
    .spatial("UpSampling1D", build: upSampling1D),
    .spatial("Resizing", build: resizing),
    .spatial("CenterCrop", build: centerCrop),
  ]

  private static func mode(
    _ layer: KerasLayer, default usual: String
  ) throws(KerasFault) -> (ResizeMode?, ResampleMode) {
    switch try layer.config.text("interpolation", default: usual).lowercased() {
    case "nearest": return (.nearest, .nearest(.floor))
    case "bilinear": return (.bilinear, .linear)
    case "bicubic": return (nil, .cubic(coefficient: -0.5))
    case let other: throw .unsupported("interpolation \"\(other.prefix(20))\"")
    }
  }

  private static func upSampling(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let factor = try layer.config.size("size", default: (2, 2))
    let (mode, resampling) = try mode(layer, default: "nearest")
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only(rank: 3)
      guard mode == nil else {
        let up = UpSampling(
          size: (factor.width, factor.height), mode: mode ?? .nearest, name: call.name)
        return KerasTensor(tensor: try call.apply(up, to: input.tensor), rank: 3)
      }
      let sizes = try input.knownSizes("a known size for bicubic interpolation")
      let target = (
        height: sizes[0].multipliedSaturated(by: factor.height),
        width: sizes[1].multipliedSaturated(by: factor.width)
      )
      let up = Resample(
        sizes: [target.height, target.width, nil], mode: resampling, excludesOutside: true,
        name: call.name)
      return KerasTensor(tensor: try call.apply(up, to: input.tensor), rank: 3)
    }
    .arranged(for: layer)
  }

  private static func upSampling1D(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let factor = try layer.config.length("size", "length", default: 2)
    return .one { call throws(KerasFault) in
      try call.asRow { row throws(KerasFault) in
        try call.apply(UpSampling(size: (factor, 1)), to: row)
      }
    }
  }

  private static func resizing(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    try resizing(
      layer, height: try layer.config.integer("height"), width: try layer.config.integer("width"))
  }

  /// A layer, or an operation with the same arguments, that makes images of one size.
  static func resizing(
    _ layer: KerasLayer, height: Int, width: Int
  ) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let crops = try config.flag("crop_to_aspect_ratio", default: false)
    let pads = try config.flag("pad_to_aspect_ratio", default: false)
    let fillMode = try config.text("fill_mode", default: "constant")
    guard !pads || fillMode == "constant" else {
      throw .unsupported("fill_mode \"\(fillMode.prefix(20))\"")
    }
    let fill = try config.number("fill_value", default: 0)
    let (mode, resampling) = try mode(layer, default: "bilinear")
    var antialias = false
    if try config.flag("antialias", default: false) { antialias = true }
    let step: KerasStep
    switch (mode, antialias) {
    case (.nearest?, _):
      step = .layer(rank: 3) {
        Resize(width: width, height: height, mode: .nearest, name: $0.name)
      }
    case (.some, let antialias):
      step = .layer(rank: 3) {
        Resize(
          width: width, height: height, mode: antialias ? .bilinearAntialiased : .bilinear,
          name: $0.name)
      }
    case (nil, let antialias):
      step = .layer(rank: 3) {
        Resample(
          sizes: [height, width, nil], mode: resampling, antialias: antialias,
          excludesOutside: true, name: $0.name)
      }
    }
    guard crops || pads else { return step.arranged(for: layer) }
    let fitted = KerasStep.one { call throws(KerasFault) in
      let input = try call.only(rank: 3)
      let sizes = try input.knownSizes("a known size to keep the proportions")
      let part = try proportioned(
        call, input.tensor, (sizes[0], sizes[1]), (height, width), fill: crops ? nil : fill)
      let results = try step.run(
        call.with(inputs: [KerasTensor(tensor: part, rank: 3)], name: call.name))
      guard let result = results.first else { throw .unsupported(nil) }
      return result
    }
    return fitted.arranged(for: layer)
  }

  /// The middle of an image, or the image between borders, with the proportions of a size.
  private static func proportioned(
    _ call: KerasCall, _ image: Tensor, _ size: (height: Int, width: Int),
    _ target: (height: Int, width: Int), fill: Float?
  ) throws(KerasFault) -> Tensor {
    guard target.height >= 1, target.width >= 1 else {
      throw .invalid("a size is not above 0", received: "\(target.height)×\(target.width)")
    }
    // As Keras computes it, cut off to whole numbers.
    let height = size.width.multipliedSaturated(by: target.height) / target.width
    let width = size.height.multipliedSaturated(by: target.width) / target.height
    guard let fill else {
      let (rows, columns) = (max(min(size.height, height), 1), max(min(size.width, width), 1))
      let (top, left) = ((size.height - rows) / 2, (size.width - columns) / 2)
      return try call.apply(
        Crop(
          top: top, left: left, bottom: size.height - rows - top,
          right: size.width - columns - left), to: image)
    }
    // Only one of both grows, by the same border on both sides.
    let (top, left) = (max(height - size.height, 0) / 2, max(width - size.width, 0) / 2)
    let borders = top > 0 ? [top, 0, 0] : [0, left, 0]
    return try call.apply(Pad(before: borders, after: borders, mode: .constant(fill)), to: image)
  }

  private static func centerCrop(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let height = try layer.config.integer("height")
    let width = try layer.config.integer("width")
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only(rank: 3)
      let sizes = try input.knownSizes("a known size for a crop of the center")
      guard 1...sizes[0] ~= height, 1...sizes[1] ~= width else {
        throw .unsupported("a size larger than the image")
      }
      let top = (sizes[0] - height) / 2
      let left = (sizes[1] - width) / 2
      let crop = Crop(
        top: top, left: left, bottom: sizes[0] - height - top, right: sizes[1] - width - left,
        name: call.name)
      return KerasTensor(tensor: try call.apply(crop, to: input.tensor), rank: 3)
    }
    .arranged(for: layer)
  }
}
