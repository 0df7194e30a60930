import ForgeOperations
import ForgeShapes

/// A one-dimensional convolution (cross-correlation) with bias and activation.
///
/// `y(o, t) = f(b(o) + Σ w(o, u, c) · x(t·s + u·d − before, c))`, where output channel `o` of group
/// `g` sums over the input channels of group `g` only and steps outside the sequence count as 0.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (time′, `channels`); with padding `.same` and `.causal` ⌈time / stride⌉, with
///   `.streaming` time / stride, else ⌊(time + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1
///   steps.
/// - State with padding `.streaming`: `steps` [1][dilation·(kernel − 1)][inputs], the steps before
///   the next part of the stream.
/// - Parameters: weights [outputs][kernel][inputs / groups] (Keras [kernel][inputs][outputs],
///   PyTorch [outputs][inputs][kernel]) and, with `useBias`, biases [outputs].
/// - Padding: `.same` by default, as for images; an odd amount puts the extra step at the end, as
///   TensorFlow does. `.causal` pads dilation·(kernel − 1) steps at the start. PyTorch's padding is
///   `.explicit`.
/// - Errors: `invalidArgument` for a number out of range and for a part of a stream that the stride
///   does not divide, `channelsNotDivisible` for groups that do not divide the channels,
///   `emptyOutput` when no window fits, `shapeMismatch` for an input that is not a sequence,
///   `unknownSize` for a sequence of unknown length, `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras Conv1D, ONNX Conv, PyTorch Conv1d.
///
/// ```swift
/// x --> Reshape(to: [128, 40])
///   --> Convolution1D(kernel: 5, channels: 64, stride: 2, activation: .relu, name: "conv1")
/// // (64, 64)
/// ```
public struct Convolution1D: SequenceLayer {
  /// `Conv1D` for short.
  public static var summaryName: String { "Conv1D" }
  package let label: LayerLabel
  /// The length of the kernel in steps.
  public let kernel: Int
  /// The distance between windows in steps.
  public let stride: Int
  /// The distance between taps in steps.
  public let dilation: Int
  /// The padding at the ends.
  public let padding: Padding1D
  /// The number of output channels.
  public let channels: Int
  /// The number of groups of channels.
  public let groups: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a one-dimensional convolution.
  ///
  /// - Parameters:
  ///   - kernel: the length of the kernel in steps.
  ///   - channels: the number of output channels.
  ///   - stride: the distance between windows in steps.
  ///   - dilation: the distance between taps in steps.
  ///   - padding: what happens at the ends.
  ///   - groups: the number of groups of channels; it divides input and output channels.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, channels: Int, stride: Int = 1, dilation: Int = 1, padding: Padding1D = .same,
    groups: Int = 1, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.channels = channels
    self.groups = groups
    hasBias = useBias
    self.activation = activation
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one convolution of an image of one row, and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(channels, "channels")
    let geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let operation = ConvolutionOperation(geometry: geometry, outputs: channels, groups: groups)
    let image = try lowering.sequence(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let shape = lowering.shape(of: image)
    try operation.validateArguments(shape)
    try activation.validate()
    _ = try operation.outputShape(for: [shape])
    let inputs = try ArgumentRule.channels(of: shape) / groups
    var operands = [image]
    operands.append(
      try lowering.parameter(
        ParameterSpec(
          .weights, [.outputs: channels, .width: kernel, .inputs: inputs],
          keras: [.width, .inputs, .outputs], pytorch: [.outputs, .inputs, .width])))
    if hasBias { operands.append(try lowering.parameter(.biases, [.outputs: channels])) }
    let sum = try lowering.apply(operation.primitive, to: operands)
    try lowering.setSequence(try lowering.apply(activation, to: sum))
  }
}
