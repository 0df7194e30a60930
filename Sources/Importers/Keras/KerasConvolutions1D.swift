import Forge

/// Convolutions of sequences.
enum KerasConvolutions1D {
  static let classes: [KerasClass] = [
    .spatial("Conv1D", "Convolution1D", "AtrousConvolution1D", build: convolution),
    .spatial("DepthwiseConv1D", build: depthwise),
    .spatial("SeparableConv1D", "SeparableConvolution1D", build: separable),
    .spatial("Conv1DTranspose", "Convolution1DTranspose", build: transposed),
  ]

  /// The arguments that all convolutions have.
  private struct Arguments: Sendable {
    let kernel: Int
    let stride: Int
    let dilation: Int
    let padding: Padding1D
    let useBias: Bool
    let activation: KerasActivation

    init(_ layer: KerasLayer) throws(KerasFault) {
      kernel = try layer.config.length("kernel_size", "filter_length")
      stride = try layer.config.length("strides", "subsample_length", default: 1)
      dilation = try layer.config.length("dilation_rate", "atrous_rate", default: 1)
      padding = try Padding1D(keras: layer)
      useBias = try layer.config.flag("use_bias", "bias", default: true)
      activation = try .stated(by: layer)
    }
  }

  private static func convolution(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let channels = try layer.config.integer("filters", "nb_filter")
    let groups = try layer.config.integer("groups", default: 1)
    let arguments = try Arguments(layer)
    return KerasStep.layer(rank: 2) { _ in
      Convolution1D(
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
    return KerasStep.layer(rank: 2) { _ in
      DepthwiseConvolution1D(
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
    return KerasStep.layer(rank: 2) { _ in
      SeparableConvolution1D(
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
    guard layer.config["output_padding"] == nil else { throw .unsupported("output_padding") }
    let arguments = try Arguments(layer)
    guard arguments.dilation == 1 || arguments.stride == 1 else {
      throw .unsupported("both strides and dilation_rate")
    }
    return KerasStep.layer(rank: 2) { _ in
      TransposedConvolution1D(
        kernel: arguments.kernel, channels: channels, stride: arguments.stride,
        dilation: arguments.dilation,
        padding: arguments.padding, activation: arguments.activation.function,
        useBias: arguments.useBias,
        name: layer.path)
    }
    .arranged(for: layer).then(arguments.activation)
  }
}

extension Padding1D {
  /// The padding that a layer of sequences states.
  init(keras layer: KerasLayer) throws(KerasFault) {
    switch try layer.config.text("padding", "border_mode", default: "valid") {
    case "same": self = .same
    case "valid": self = .valid
    case "causal": self = .causal
    case let other: throw .unsupported("padding \"\(other.prefix(20))\"")
    }
  }
}
