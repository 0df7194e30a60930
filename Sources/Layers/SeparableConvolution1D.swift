import ForgeOperations
import ForgeShapes

/// A depthwise convolution of a sequence followed by a pointwise one, with bias and activation.
///
/// `y(o, t) = f(b(o) + Σ w(o, c·multiplier + m) · d(c, m, u) · x(t·s + u·dilation − before, c))`,
/// summed over all `c`, `m` and `u`.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (time′, `channels`), as from ``Convolution1D``.
/// - Parameters: depthwise [channels][multiplier][kernel] (Keras [kernel][channels][multiplier]),
///   weights [outputs][inputs · multiplier] (Keras [1][inputs · multiplier][outputs]) and, with
///   `useBias`, biases [outputs].
/// - Padding: as for ``Convolution1D``.
/// - Errors: as for ``DepthwiseConvolution1D``.
/// - Names elsewhere: Keras SeparableConv1D.
///
/// ```swift
/// x --> Reshape(to: [128, 40])
///   --> SeparableConvolution1D(kernel: 3, channels: 64, name: "sep1")  // (128, 64)
/// ```
public struct SeparableConvolution1D: SequenceLayer {
  /// `SepConv1D` for short.
  public static var summaryName: String { "SepConv1D" }
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
  /// The number of intermediate channels per input channel.
  public let multiplier: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction

  /// Creates a one-dimensional separable convolution.
  ///
  /// - Parameters:
  ///   - kernel: the length of the kernel in steps.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the distance between windows in steps.
  ///   - dilation: the distance between taps in steps.
  ///   - padding: what happens at the ends.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, channels: Int, multiplier: Int = 1, stride: Int = 1, dilation: Int = 1,
    padding: Padding1D = .same, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.channels = channels
    self.multiplier = multiplier
    hasBias = useBias
    self.activation = activation
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to two convolutions of an image of one row, and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let image = try lowering.sequence(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding)
    let sum = try lowering.separable(
      image, geometry, multiplier: multiplier, channels: channels, hasBias: hasBias)
    try activation.validate()
    try lowering.setSequence(try lowering.apply(activation, to: sum))
  }
}
