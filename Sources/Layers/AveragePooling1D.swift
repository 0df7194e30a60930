import ForgeOperations
import ForgeShapes

/// The mean of a moving window, channel by channel.
///
/// `y(t, c) = Σ x(t·s + u·d − before, c) / n` over the steps of the window that lie inside the
/// sequence; `n` is their number, or the kernel's length if the border is counted.
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
/// - Names elsewhere: Keras AveragePooling1D, ONNX AveragePool, PyTorch AvgPool1d (whose border is
///   `.counted`).
///
/// ```swift
/// x --> Reshape(to: [128, 40]) --> AveragePooling1D(kernel: 2)  // (64, 40)
/// ```
public struct AveragePooling1D: SequenceLayer {
  /// `AvgPool1D` for short.
  public static var summaryName: String { "AvgPool1D" }
  package let label: LayerLabel
  /// The length of the window in steps.
  public let kernel: Int
  /// The distance between windows in steps.
  public let stride: Int
  /// The padding at the ends.
  public let padding: Padding1D
  /// How the border counts.
  public let border: AveragePooling.Border
  /// The distance between taps in steps.
  public let dilation: Int
  /// How the number of windows is rounded.
  public let rounding: WindowRounding

  /// Creates a one-dimensional average pooling.
  ///
  /// - Parameters:
  ///   - kernel: the length of the window in steps.
  ///   - stride: the distance between windows in steps; the kernel's length when left out.
  ///   - padding: what happens at the ends.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in steps.
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, stride: Int? = nil, padding: Padding1D = .valid,
    border: AveragePooling.Border = .excluded, dilation: Int = 1, rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kernel = kernel
    self.stride = stride ?? kernel
    self.padding = padding
    self.border = border
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
    try lowering.setSequence(
      try lowering.pooled(image, border == .counted ? .averageAll : .averageInside, geometry))
  }
}
