import ForgeOperations
import ForgeShapes

/// A depthwise convolution followed by a pointwise one, with bias and activation.
///
/// `y(o, i, j) = f(b(o) + Σ w(o, c·multiplier + m) · d(c, m, u, v) · x(i·sᵧ + u·dᵧ − top, j·sₓ +
/// v·dₓ − left, c))`, summed over all `c`, `m`, `u` and `v`.
///
/// - Input shape: (width, height, channels).
/// - Output shape: (width′, height′, `channels`), as from ``Convolution``.
/// - Parameters: depthwise [channels][multiplier][kernel height][kernel width], weights
///   [outputs][1][1][inputs · multiplier] and, with `useBias`, biases [outputs].
/// - Padding: `.same` by default, as for ``Convolution`` (Keras's default is `valid`).
/// - Errors: as for ``DepthwiseConvolution``.
/// - Names elsewhere: Keras SeparableConv2D, whose depthwise_kernel and pointwise_kernel are the
///   parameters depthwise and weights.
///
/// ```swift
/// Input(width: 56, height: 56, channels: 64)
///   --> SeparableConvolution(kernel: (3, 3), channels: 128, name: "sep1")  // (56, 56, 128)
/// ```
public struct SeparableConvolution: BuiltInLayer {
  /// `SepConv` for short.
  public static var summaryName: String { "SepConv" }
  package let label: LayerLabel
  /// Kernel, stride, dilation and padding in pixels.
  public let geometry: ConvolutionGeometry
  /// The number of output channels.
  public let channels: Int
  /// The number of intermediate channels per input channel.
  public let multiplier: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a separable convolution.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), channels: Int, multiplier: Int = 1,
    stride: (x: Int, y: Int) = (1, 1), dilation: (x: Int, y: Int) = (1, 1),
    padding: Padding = .same, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, multiplier: multiplier,
      stride: Size(step: stride), dilation: Size(step: dilation), padding: padding,
      activation: activation, useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, channels: Int, multiplier: Int, stride: Size, dilation: Size,
    padding: Padding, activation: ActivationFunction, useBias: Bool, label: LayerLabel
  ) {
    geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    self.channels = channels
    self.multiplier = multiplier
    hasBias = useBias
    self.activation = activation
    self.label = label
  }

  /// Lowers to a depthwise and a pointwise convolution, and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let sum = try lowering.separable(
      try lowering.input(), geometry, multiplier: multiplier, channels: channels,
      hasBias: hasBias)
    try activation.validate()
    lowering.output = try lowering.apply(activation, to: sum)
  }
}

extension Lowering {
  /// A depthwise convolution followed by a pointwise one, with biases but no activation.
  mutating func separable(
    _ image: Value, _ geometry: ConvolutionGeometry, multiplier: Int, channels: Int,
    hasBias: Bool
  ) throws(ShapeError) -> Value {
    try ArgumentRule.positive(channels, "channels")
    let depthwise = DepthwiseConvolutionOperation(geometry: geometry, multiplier: multiplier)
    let shape = shape(of: image)
    try depthwise.validateArguments(shape)
    _ = try depthwise.outputShape(for: [shape])
    let inputs = try depthwise.outputs(for: shape)
    let kernel = geometry.kernel
    let sizes: KeyValuePairs<ParameterAxis, Int> = [
      .channels: try ArgumentRule.channels(of: shape), .multiplier: multiplier,
      .height: kernel.height, .width: kernel.width,
    ]
    let pointwise: KeyValuePairs<ParameterAxis, Int> = [
      .outputs: channels, .height: 1, .width: 1, .inputs: inputs,
    ]
    // Axes of one value may be missing in a file, so a sequence has the axes of an image.
    let weights = try parameter(ParameterSpec(.depthwise, sizes))
    let middle = try apply(depthwise.primitive, to: [image, weights])
    var operands = [middle, try parameter(ParameterSpec(.weights, pointwise))]
    if hasBias { operands.append(try parameter(.biases, [.outputs: channels])) }
    let one = ConvolutionGeometry(kernel: .one)
    return try apply(.convolution(one, outputs: channels, groups: 1), to: operands)
  }
}
