import ForgeOperations
import ForgeShapes

/// A two-dimensional convolution of each channel on its own, with bias and activation.
///
/// `y(o, i, j) = f(b(o) + Σ w(c, m, u, v) · x(i·sᵧ + u·dᵧ − top, j·sₓ + v·dₓ − left, c))` for
/// output channel `o = c·multiplier + m`; pixels outside the image count as 0.
///
/// - Input shape: (width, height, channels).
/// - Output shape: (width′, height′, channels · `multiplier`); with padding `.same` ⌈width /
///   stride⌉, else ⌊(width + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 pixels, and
///   likewise the height.
/// - Parameters: weights [channels][multiplier][kernel height][kernel width] and, with `useBias`,
///   biases [channels · multiplier].
/// - Padding: `.same` by default, as in the 2017 toolkit (Keras's default is `valid`); an odd
///   amount puts the extra pixel at the bottom and right, as TensorFlow does. PyTorch's padding is
///   `.explicit`.
/// - Errors: `invalidArgument` for a number out of range, `emptyOutput` when no window fits,
///   `shapeMismatch` for an input that is not an image, `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras DepthwiseConv2D, ONNX Conv with as many groups as channels, Core ML
///   convolution with as many groups as channels.
///
/// ```swift
/// Input(width: 112, height: 112, channels: 32)
///   --> DepthwiseConvolution(kernel: (3, 3), stride: (2, 2), name: "conv_dw_1")  // (56, 56, 32)
/// ```
public struct DepthwiseConvolution: WeightedLayer {
  /// `DepthwConv`, as in the 2017 toolkit.
  public static var summaryName: String { "DepthwConv" }
  package let label: LayerLabel
  /// Kernel, stride, dilation and padding in pixels.
  public let geometry: ConvolutionGeometry
  /// The number of output channels per input channel.
  public let multiplier: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction
  package var weightScales: [Float]?

  /// Creates a depthwise convolution.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - multiplier: the number of output channels per input channel.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), stride: (x: Int, y: Int) = (1, 1),
    dilation: (x: Int, y: Int) = (1, 1), padding: Padding = .same, multiplier: Int = 1,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), stride: Size(step: stride), dilation: Size(step: dilation),
      padding: padding,
      multiplier: multiplier, activation: activation, useBias: useBias,
      label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, stride: Size, dilation: Size, padding: Padding, multiplier: Int,
    activation: ActivationFunction, useBias: Bool, label: LayerLabel
  ) {
    self.geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    self.multiplier = multiplier
    hasBias = useBias
    self.activation = activation
    self.label = label
  }

  /// Lowers to one depthwise convolution and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try lower(
      DepthwiseConvolutionOperation(geometry: geometry, multiplier: multiplier), into: &lowering)
  }
}
