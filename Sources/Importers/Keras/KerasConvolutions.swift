import Forge

/// Convolutions of images.
enum KerasConvolutions {
  static let makers: [String: KerasCatalog.Maker] = [
    "Conv2D": convolution, "Convolution2D": convolution, "AtrousConvolution2D": convolution,
    "DepthwiseConv2D": depthwise, "SeparableConv2D": separable, "SeparableConvolution2D": separable,
    "Conv2DTranspose": transposed, "Convolution2DTranspose": transposed,
  ]

  /// The arguments that all convolutions have.
  struct Arguments: Sendable {
    let kernel: (width: Int, height: Int)
    let stride: (x: Int, y: Int)
    let dilation: (x: Int, y: Int)
    let padding: Padding
    let useBias: Bool
    let activation: KerasActivation

    init(_ layer: KerasLayer) throws(KerasFault) {
      let config = layer.config
      let kernel: (height: Int, width: Int)
      if config["nb_row"] != nil {
        kernel = (try config.integer("nb_row"), try config.integer("nb_col"))
      } else {
        kernel = try config.size("kernel_size")
      }
      let stride = try config.size("strides", "subsample", default: (1, 1))
      let dilation = try config.size("dilation_rate", "atrous_rate", default: (1, 1))
      self.kernel = (kernel.width, kernel.height)
      self.stride = (stride.width, stride.height)
      self.dilation = (dilation.width, dilation.height)
      padding = try Padding(keras: layer)
      useBias = try config.flag("use_bias", "bias", default: true)
      activation = try .stated(by: layer)
    }
  }

  private static func convolution(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    let groups = try layer.config.integer("groups", default: 1)
    let the = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      Convolution(
        kernel: the.kernel, channels: channels, stride: the.stride, dilation: the.dilation,
        padding: the.padding, groups: groups, activation: the.activation.function,
        useBias: the.useBias, name: layer.path)
    }
    .arranged(for: layer).then(the.activation)
  }

  private static func depthwise(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let multiplier = try layer.config.integer("depth_multiplier", default: 1)
    let the = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      DepthwiseConvolution(
        kernel: the.kernel, stride: the.stride, dilation: the.dilation, padding: the.padding,
        multiplier: multiplier, activation: the.activation.function, useBias: the.useBias,
        name: layer.path)
    }
    .arranged(for: layer).then(the.activation)
  }

  private static func separable(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    let multiplier = try layer.config.integer("depth_multiplier", default: 1)
    let the = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      SeparableConvolution(
        kernel: the.kernel, channels: channels, multiplier: multiplier, stride: the.stride,
        dilation: the.dilation, padding: the.padding, activation: the.activation.function,
        useBias: the.useBias, name: layer.path)
    }
    .arranged(for: layer).then(the.activation)
  }

  private static func transposed(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    guard layer.config["output_padding"] == nil else { throw .unsupported("output_padding") }
    guard layer.config["output_shape"] == nil else { throw .unsupported("output_shape") }
    let the = try Arguments(layer)
    guard the.dilation == (1, 1) || the.stride == (1, 1) else {
      throw .unsupported("both strides and dilation_rate")
    }
    return KerasStep.layer(rank: 3) { _ in
      TransposedConvolution(
        kernel: the.kernel, channels: channels, stride: the.stride, dilation: the.dilation,
        padding: the.padding, activation: the.activation.function, useBias: the.useBias,
        name: layer.path)
    }
    .arranged(for: layer).then(the.activation)
  }
}

extension Padding {
  /// The padding that a layer of images states.
  init(keras layer: KerasLayer) throws(KerasFault) {
    switch try layer.config.text("padding", "border_mode", default: "valid") {
    case "same": self = .same
    case "valid": self = .valid
    case let other: throw .unsupported("padding \"\(other.prefix(20))\"")
    }
  }
}
