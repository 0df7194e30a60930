import ForgeOperations
import ForgeShapes

/// A one-dimensional convolution of each channel on its own, with bias and activation.
///
/// `y(o, t) = f(b(o) + Σ w(c, m, u) · x(t·s + u·d − before, c))` for output channel `o =
/// c·multiplier + m`; steps outside the sequence count as 0.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (time′, channels · `multiplier`), with time′ as for ``Convolution1D``.
/// - State with padding `.streaming`: `steps`, as for ``Convolution1D``.
/// - Parameters: weights [channels][multiplier][kernel] (Keras [kernel][channels][multiplier],
///   PyTorch as here) and, with `useBias`, biases [channels · multiplier].
/// - Padding: as for ``Convolution1D``.
/// - Errors: `invalidArgument` for a number out of range and for a part of a stream that the stride
///   does not divide, `emptyOutput` when no window fits, `shapeMismatch` for an input that is not a
///   sequence, `unknownSize` for a sequence of unknown length, `tooLarge` for weights beyond
///   bounds.
/// - Names elsewhere: Keras DepthwiseConv1D, ONNX Conv and PyTorch Conv1d with as many groups as
///   channels.
///
/// ```swift
/// x --> Reshape(to: [128, 40]) --> DepthwiseConvolution1D(kernel: 3, name: "dw1")  // (128, 40)
/// ```
public struct DepthwiseConvolution1D: SequenceLayer {
  /// `DwConv1D` for short.
  public static var summaryName: String { "DwConv1D" }
  package let label: LayerLabel
  /// The length of the kernel in steps.
  public let kernel: Int
  /// The distance between windows in steps.
  public let stride: Int
  /// The distance between taps in steps.
  public let dilation: Int
  /// The padding at the ends.
  public let padding: Padding1D
  /// The number of output channels per input channel.
  public let multiplier: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a one-dimensional depthwise convolution.
  ///
  /// - Parameters:
  ///   - kernel: the length of the kernel in steps.
  ///   - stride: the distance between windows in steps.
  ///   - dilation: the distance between taps in steps.
  ///   - padding: what happens at the ends.
  ///   - multiplier: the number of output channels per input channel.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, stride: Int = 1, dilation: Int = 1, padding: Padding1D = .same,
    multiplier: Int = 1, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.multiplier = multiplier
    hasBias = useBias
    self.activation = activation
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one depthwise convolution of an image of one row, and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let operation = DepthwiseConvolutionOperation(geometry: geometry, multiplier: multiplier)
    let image = try lowering.sequence(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let shape = lowering.shape(of: image)
    try operation.validateArguments(shape)
    try activation.validate()
    _ = try operation.outputShape(for: [shape])
    let inputs = try ArgumentRule.channels(of: shape)
    var operands = [image]
    operands.append(
      try lowering.parameter(
        ParameterSpec(
          .weights, [.channels: inputs, .multiplier: multiplier, .width: kernel],
          keras: [.width, .channels, .multiplier], pytorch: [.channels, .multiplier, .width])))
    if hasBias {
      operands.append(
        try lowering.parameter(.biases, [.outputs: try operation.outputs(for: shape)]))
    }
    let sum = try lowering.apply(operation.primitive, to: operands)
    try lowering.setSequence(try lowering.apply(activation, to: sum))
  }
}
