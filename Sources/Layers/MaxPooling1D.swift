import ForgeOperations
import ForgeShapes

/// The largest value of a moving window, channel by channel.
///
/// `y(t, c) = max x(t·s + u·d − before, c)` over the steps of the window that lie inside the
/// sequence; NaN if one of them is.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (time′, channels); with padding `.same` and `.causal` ⌈time / stride⌉, else
///   ⌊(time + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 steps, rounded up with `rounding:
///   .ceiling`.
/// - Parameters: none.
/// - Padding: `.valid` by default, as in Keras; `.explicit` must be smaller than the kernel.
/// - Errors: `invalidArgument` for a number out of range, `kernelLargerThanInput` when no window
///   fits, `shapeMismatch` for an input that is not a sequence, `unknownSize` for a sequence of
///   unknown length.
/// - Names elsewhere: Keras MaxPooling1D, ONNX MaxPool, PyTorch MaxPool1d.
///
/// ```swift
/// x --> Reshape(to: [128, 40]) --> MaxPooling1D(kernel: 2)  // (64, 40)
/// ```
public struct MaxPooling1D: SequenceLayer {
  /// `MaxPool1D` for short.
  public static var summaryName: String { "MaxPool1D" }
  package let label: LayerLabel
  /// The length of the window in steps.
  public let kernel: Int
  /// The distance between windows in steps.
  public let stride: Int
  /// The padding at the ends.
  public let padding: Padding1D
  /// The distance between taps in steps.
  public let dilation: Int
  /// How the number of windows is rounded.
  public let rounding: WindowRounding

  /// Creates a one-dimensional max pooling.
  ///
  /// - Parameters:
  ///   - kernel: the length of the window in steps.
  ///   - stride: the distance between windows in steps; the kernel's length when left out.
  ///   - padding: what happens at the ends.
  ///   - dilation: the distance between taps in steps.
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, stride: Int? = nil, padding: Padding1D = .valid, dilation: Int = 1,
    rounding: WindowRounding = .floor, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride ?? kernel
    self.padding = padding
    self.dilation = dilation
    self.rounding = rounding
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one pooling of an image of one row.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      padding != .streaming, "padding", ".streaming", needs: ".causal, or a convolution")
    let geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding, rounding: rounding)
    let image = try lowering.sequence()
    try lowering.setSequence(try lowering.pooled(image, .maximum, geometry))
  }
}
