import ForgeOperations
import ForgeShapes

/// A convolution with a 1×1 kernel, with bias and activation.
///
/// `y(o, i, j) = f(b(o) + Σ w(o, c) · x(i·sᵧ, j·sₓ, c))`.
///
/// - Input shape: (width, height, channels).
/// - Output shape: (⌈width / stride⌉, ⌈height / stride⌉, `channels`).
/// - Parameters: weights [outputs][1][1][inputs] and, with `useBias`, biases [outputs].
/// - Errors: `invalidArgument` for a number out of range, `shapeMismatch` for an input that is not
///   an image, `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras Conv2D, ONNX Conv and Core ML convolution, each with a 1×1 kernel.
///
/// ```swift
/// Input(width: 56, height: 56, channels: 64)
///   --> PointwiseConvolution(channels: 128, activation: .relu6, name: "conv_pw_1")
///   // (56, 56, 128)
/// ```
public struct PointwiseConvolution: WeightedLayer {
  /// `PointwConv`, as in the 2017 toolkit.
  public static var summaryName: String { "PointwConv" }
  package let label: LayerLabel
  /// A kernel of 1×1 and the stride in pixels.
  public let geometry: ConvolutionGeometry
  /// The number of output channels.
  public let channels: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction
  package var weightScales: [Float]?

  /// Creates a pointwise convolution.
  ///
  /// - Parameters:
  ///   - channels: the number of output channels.
  ///   - stride: the step between the pixels used, (x, y).
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    channels: Int, stride: (x: Int, y: Int) = (1, 1), activation: ActivationFunction = .linear,
    useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      channels: channels, stride: Size(step: stride), activation: activation, useBias: useBias,
      label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a pointwise convolution with one number for the stride.
  ///
  /// - Parameters:
  ///   - channels: the number of output channels.
  ///   - stride: the step between the pixels used, one number for x and y.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    channels: Int, stride: Int, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      channels: channels, stride: Size(square: stride), activation: activation, useBias: useBias,
      label: LayerLabel(name, fileID, line, column))
  }

  private init(
    channels: Int, stride: Size, activation: ActivationFunction, useBias: Bool, label: LayerLabel
  ) {
    self.geometry = ConvolutionGeometry(kernel: .one, stride: stride, padding: .valid)
    self.channels = channels
    hasBias = useBias
    self.activation = activation
    self.label = label
  }

  /// Lowers to one convolution and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(channels, "channels")
    try lower(
      ConvolutionOperation(geometry: geometry, outputs: channels, groups: 1), into: &lowering)
  }
}
