import Forge

/// Convolutions of images.
enum KerasConvolutions {
  static let classes: [KerasClass] = [
    .spatial("Conv2D", "Convolution2D", "AtrousConvolution2D", build: convolution),
    .spatial("DepthwiseConv2D", build: depthwise),
    .spatial("SeparableConv2D", "SeparableConvolution2D", build: separable),
    .spatial("Conv2DTranspose", "Convolution2DTranspose", build: transposed),
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
    let arguments = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      Convolution(
        kernel: arguments.kernel, channels: channels, stride: arguments.stride,
        dilation: arguments.dilation,
        padding: arguments.padding, groups: groups, activation: arguments.activation.function,
        useBias: arguments.useBias, name: layer.path)
    }
    .arranged(for: layer).then(arguments.activation)
  }

  private static func depthwise(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let multiplier = try layer.config.integer("depth_multiplier", default: 1)
    let arguments = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      DepthwiseConvolution(
        kernel: arguments.kernel, stride: arguments.stride, dilation: arguments.dilation,
        padding: arguments.padding,
        multiplier: multiplier, activation: arguments.activation.function,
        useBias: arguments.useBias,
        name: layer.path)
    }
    .arranged(for: layer).then(arguments.activation)
  }

  private static func separable(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    let multiplier = try layer.config.integer("depth_multiplier", default: 1)
    let arguments = try Arguments(layer)
    return KerasStep.layer(rank: 3) { _ in
      SeparableConvolution(
        kernel: arguments.kernel, channels: channels, multiplier: multiplier,
        stride: arguments.stride,
        dilation: arguments.dilation, padding: arguments.padding,
        activation: arguments.activation.function,
        useBias: arguments.useBias, name: layer.path)
    }
    .arranged(for: layer).then(arguments.activation)
  }

  private static func transposed(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    guard layer.config["output_shape"] == nil else { throw .unsupported("output_shape") }
    let arguments = try Arguments(layer)
    guard arguments.dilation == (1, 1) || arguments.stride == (1, 1) else {
      throw .unsupported("both strides and dilation_rate")
    }
    var (padding, extra) = (arguments.padding, (x: 0, y: 0))
    if let stated = layer.config["output_padding"], !stated.isNull {
      let output = try layer.config.size("output_padding")
      let isSame = arguments.padding == .same
      let rows = try KerasOutputPadding(
        arguments.kernel.height, arguments.dilation.y, output: output.height, isSame: isSame)
      let columns = try KerasOutputPadding(
        arguments.kernel.width, arguments.dilation.x, output: output.width, isSame: isSame)
      padding = .explicit(
        top: rows.before, left: columns.before, bottom: rows.after, right: columns.after)
      extra = (columns.extra, rows.extra)
    }
    return KerasStep.layer(rank: 3) { [padding, extra] _ in
      TransposedConvolution(
        kernel: arguments.kernel, channels: channels, stride: arguments.stride,
        dilation: arguments.dilation,
        padding: padding, outputPadding: extra, activation: arguments.activation.function,
        useBias: arguments.useBias,
        name: layer.path)
    }
    .arranged(for: layer).then(arguments.activation)
  }
}

/// The edges of an axis of a transposed convolution whose output_padding is stated.
private struct KerasOutputPadding {
  /// The pixels of the whole result that are cut off in front and behind.
  let before, after: Int
  /// The pixels that are added behind.
  let extra: Int

  /// Follows Keras: of the places that a kernel reaches beyond the input, `.same` keeps as many as
  /// the kernel has beyond one, or two of an even kernel, in all; the larger half is in front.
  init(_ kernel: Int, _ dilation: Int, output: Int, isSame: Bool) throws(KerasFault) {
    let extent = (kernel - 1).multipliedSaturated(by: dilation).addingSaturated(1)
    guard kernel >= 1, dilation >= 1, extent <= 1 << 20, (0...(1 << 20)).contains(output) else {
      throw .unsupported("output_padding \(output)")
    }
    let (reachBefore, reachAfter): (Int, Int)
    if isSame {
      let all = extent + extent % 2 - 2 + output
      reachBefore = min(all / 2 + all % 2, extent - 1)
      reachAfter = all - reachBefore
    } else {
      (reachBefore, reachAfter) = (extent - 1, extent - 1 + output)
    }
    guard reachBefore >= 0, reachAfter >= 0 else { throw .unsupported("output_padding \(output)") }
    before = extent - 1 - reachBefore
    after = max(extent - 1 - reachAfter, 0)
    extra = max(reachAfter - (extent - 1), 0)
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
