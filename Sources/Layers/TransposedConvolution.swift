import ForgeOperations
import ForgeShapes

/// A two-dimensional transposed convolution with bias and activation.
///
/// Each input pixel adds its kernel, weighted, to the output: `y(o, sᵧ·i + dᵧ·u − top, sₓ·j + dₓ·v
/// − left) += w(o, u, v, c) · x(i, j, c)`, and then `y = f(y + b(o))`. Output channel `o` of group
/// `g` reads the input channels of group `g` only.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (width′, height′, `channels`). With explicit padding, stride·(width − 1) +
///   dilation·(kernel − 1) + 1 + `outputPadding` − left − right pixels; with `.valid`, stride·width
///   + max(dilation·(kernel − 1) + 1 − stride, 0) + `outputPadding`; with `.same`, stride·width;
///   and likewise the height.
/// - Parameters: weights [outputs][kernel height][kernel width][inputs] (Keras
///   [height][width][outputs][inputs], PyTorch [inputs][outputs][height][width]); with groups
///   [groups][outputs / groups][height][width][inputs / groups] (PyTorch [inputs][outputs /
///   groups][height][width]); and, with `useBias`, biases [outputs].
/// - Padding: `.same` by default, as for ``Convolution`` (Keras's default is `valid`); it is what
///   Forge's `.same` convolution of the output would need. PyTorch's padding is `.explicit`.
/// - Errors: `invalidArgument` for a number out of range, `channelsNotDivisible` for groups that do
///   not divide the channels, `emptyOutput` for an output without pixels, `shapeMismatch` for an
///   input that is not an image, `tooLarge` for weights or an output beyond bounds.
/// - Names elsewhere: Keras Conv2DTranspose, ONNX ConvTranspose, PyTorch ConvTranspose2d.
///
/// ```swift
/// Input(width: 14, height: 14, channels: 128)
///   --> TransposedConvolution(kernel: (2, 2), channels: 64, stride: (2, 2), name: "up1")
/// ```
public struct TransposedConvolution: BuiltInLayer {
  /// `TransConv` for short.
  public static var summaryName: String { "TransConv" }
  package let label: LayerLabel
  /// Kernel, stride, dilation and padding in pixels.
  public let geometry: ConvolutionGeometry
  /// Pixels added at the right and the bottom of the output.
  public let outputPadding: Size
  /// The number of output channels.
  public let channels: Int
  /// The number of groups of channels.
  public let groups: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a transposed convolution.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - outputPadding: pixels added at the right and the bottom of the output, (x, y).
  ///   - groups: the number of groups of channels; it divides input and output channels.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), channels: Int, stride: (x: Int, y: Int) = (1, 1),
    dilation: (x: Int, y: Int) = (1, 1), padding: Padding = .same,
    outputPadding: (x: Int, y: Int) = (0, 0), groups: Int = 1,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, stride: Size(step: stride),
      dilation: Size(step: dilation), padding: padding, outputPadding: outputPadding,
      groups: groups, activation: activation, useBias: useBias,
      label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, channels: Int, stride: Size, dilation: Size, padding: Padding,
    outputPadding: (x: Int, y: Int), groups: Int, activation: ActivationFunction, useBias: Bool,
    label: LayerLabel
  ) {
    geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    self.outputPadding = Size(step: outputPadding)
    self.channels = channels
    self.groups = groups
    hasBias = useBias
    self.activation = activation
    self.label = label
  }

  /// Lowers to one convolution for each pixel of a block of `stride` pixels, which are interleaved.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let transposed = TransposedGeometry(window: geometry, outputPadding: outputPadding)
    let sum = try lowering.transposed(
      try lowering.input(), transposed, channels: channels, groups: groups, hasBias: hasBias,
      activation: activation, isSequence: false)
    lowering.output = sum
  }
}
