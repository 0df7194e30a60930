import ForgeOperations
import ForgeShapes

/// A two-dimensional convolution (cross-correlation) with bias and activation.
///
/// `y(o, i, j) = f(b(o) + Σ w(o, u, v, c) · x(i·sᵧ + u·dᵧ − top, j·sₓ + v·dₓ − left, c))`, where
/// output channel `o` of group `g` sums over the input channels of group `g` only and pixels
/// outside the image count as 0.
///
/// - Input shape: (width, height, channels).
/// - Output shape: (width′, height′, `channels`); with padding `.same` ⌈width / stride⌉, else
///   ⌊(width + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 pixels, and likewise the height.
/// - Parameters: weights [outputs][kernel height][kernel width][inputs / groups] and, with
///   `useBias`, biases [outputs].
/// - Padding: `.same` by default, as in the 2017 toolkit (Keras's default is `valid`); an odd
///   amount puts the extra pixel at the bottom and right, as TensorFlow does. PyTorch's padding is
///   `.explicit`.
/// - Errors: `invalidArgument` for a number out of range, `channelsNotDivisible` for groups that do
///   not divide the channels, `emptyOutput` when no window fits, `shapeMismatch` for an input that
///   is not an image, `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras Conv2D, ONNX Conv, Core ML convolution.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 1)
///   --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
///   // (28, 28, 20)
/// ```
public struct Convolution: WeightedLayer {
  /// `Conv`, as in the 2017 toolkit.
  public static var summaryName: String { "Conv" }
  package let label: LayerLabel
  /// Kernel, stride, dilation and padding in pixels.
  public let geometry: ConvolutionGeometry
  /// The number of output channels.
  public let channels: Int
  /// The number of groups of channels.
  public let groups: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction
  package var weightScales: [Float]?

  /// Creates a convolution.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - groups: the number of groups of channels; it divides input and output channels.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), channels: Int, stride: (x: Int, y: Int) = (1, 1),
    dilation: (x: Int, y: Int) = (1, 1), padding: Padding = .same, groups: Int = 1,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, stride: Size(step: stride),
      dilation: Size(step: dilation),
      padding: padding, groups: groups, activation: activation, useBias: useBias,
      label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, channels: Int, stride: Size, dilation: Size, padding: Padding, groups: Int,
    activation: ActivationFunction, useBias: Bool, label: LayerLabel
  ) {
    self.geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    self.channels = channels
    self.groups = groups
    hasBias = useBias
    self.activation = activation
    self.label = label
  }

  /// Lowers to one convolution and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(channels, "channels")
    try lower(
      ConvolutionOperation(geometry: geometry, outputs: channels, groups: groups),
      into: &lowering)
  }
}
