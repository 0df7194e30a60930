import ForgeOperations
import ForgeShapes

/// A one-dimensional transposed convolution with bias and activation.
///
/// Each input step adds its kernel, weighted, to the output: `y(o, s·t + d·u − before) += w(o, u,
/// c) · x(t, c)`, and then `y(o, t) = f(y(o, t) + b(o))`. Output channel `o` of group `g` reads the
/// input channels of group `g` only.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (time′, `channels`). With padding `.explicit`, stride·(time − 1) +
///   dilation·(kernel − 1) + 1 + `outputPadding` − before − after steps; with `.valid`, stride·time
///   + max(dilation·(kernel − 1) + 1 − stride, 0) + `outputPadding`; with `.same`, stride·time.
/// - Parameters: weights [outputs][kernel][inputs / groups] (Keras [kernel][outputs][inputs],
///   PyTorch [inputs][outputs / groups][kernel]; with groups, Forge's own order is [groups][outputs
///   / groups][kernel][inputs / groups]) and, with `useBias`, biases [outputs].
/// - Padding: `.same` by default, as for images; `.causal` is not defined.
/// - Errors: `invalidArgument` for a number out of range, `channelsNotDivisible` for groups that do
///   not divide the channels, `emptyOutput` for an output without steps, `shapeMismatch` for an
///   input that is not a sequence, `unknownSize` for a sequence of unknown length, `tooLarge` for
///   weights beyond bounds.
/// - Names elsewhere: Keras Conv1DTranspose, ONNX ConvTranspose, PyTorch ConvTranspose1d.
///
/// ```swift
/// x --> Reshape(to: [64, 40])
///   --> TransposedConvolution1D(kernel: 4, channels: 20, stride: 2, name: "up1")  // (128, 20)
/// ```
public struct TransposedConvolution1D: SequenceLayer {
  /// `TransCnv1D` for short.
  public static var summaryName: String { "TransCnv1D" }
  package let label: LayerLabel
  /// The length of the kernel in steps.
  public let kernel: Int
  /// The distance between windows in steps.
  public let stride: Int
  /// The distance between taps in steps.
  public let dilation: Int
  /// The padding at the ends.
  public let padding: Padding1D
  /// Steps added at the end of the output.
  public let outputPadding: Int
  /// The number of output channels.
  public let channels: Int
  /// The number of groups of channels.
  public let groups: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a one-dimensional transposed convolution.
  ///
  /// - Parameters:
  ///   - kernel: the length of the kernel in steps.
  ///   - channels: the number of output channels.
  ///   - stride: the distance between windows in steps.
  ///   - dilation: the distance between taps in steps.
  ///   - padding: what happens at the ends.
  ///   - outputPadding: steps added at the end of the output.
  ///   - groups: the number of groups of channels; it divides input and output channels.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, channels: Int, stride: Int = 1, dilation: Int = 1, padding: Padding1D = .same,
    outputPadding: Int = 0, groups: Int = 1, activation: ActivationFunction = .linear,
    useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.outputPadding = outputPadding
    self.channels = channels
    self.groups = groups
    hasBias = useBias
    self.activation = activation
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to convolutions of an image of one row, which are interleaved.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      padding != .streaming, "padding", ".streaming", needs: ".causal, or a convolution")
    try ArgumentRule.require(
      padding != .causal, "padding", "\(padding)", needs: ".same, .valid or .explicit")
    let transposed = TransposedGeometry(
      window: ConvolutionGeometry(
        kernel: kernel, stride: stride, dilation: dilation, padding: padding),
      outputPadding: Size(width: outputPadding, height: 0))
    try lowering.setSequence(
      try lowering.transposed(
        try lowering.sequence(), transposed, channels: channels, groups: groups,
        hasBias: hasBias, activation: activation, isSequence: true))
  }
}
