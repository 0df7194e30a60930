import ForgeOperations
import ForgeShapes

/// The mean of a moving window, channel by channel.
///
/// `y(i, j, c) = Σ x(i·sᵧ + u − top, j·sₓ + v − left, c) / n` over the pixels of the window that
/// lie inside the image; `n` is their number, or the kernel's area if the border is counted.
///
/// - Input shape: (width, height, channels).
/// - Output shape: (width′, height′, channels); with padding `.same` ⌈width / stride⌉, else ⌊(width
///   + padding − dilation·(kernel − 1) − 1) / stride⌋ + 1 pixels, rounded up with `rounding:
///   .ceiling`, and likewise the height.
/// - Parameters: none.
/// - Padding: `.valid` by default, as in the 2017 toolkit and in Keras; `.explicit` must be smaller
///   than the kernel, so that every window holds a pixel.
/// - Errors: `invalidArgument` for a number out of range, `kernelLargerThanInput` when no window
///   fits, `shapeMismatch` for an input that is not an image.
/// - Names elsewhere: Keras AveragePooling2D, ONNX AveragePool (whose count_include_pad is
///   `.counted`), Core ML pooling AVERAGE (whose avgPoolExcludePadding is `.excluded`).
///
/// ```swift
/// Input(width: 35, height: 35, channels: 192)
///   --> AveragePooling(kernel: (3, 3), stride: (1, 1), padding: .same)  // (35, 35, 192)
/// ```
public struct AveragePooling: PoolingLayer {
  /// How the border counts.
  public enum Border: Hashable, Sendable {
    /// Not at all: the mean of the pixels inside the image (TensorFlow, Keras).
    case excluded
    /// As zeros: the sum divided by the kernel's area (PyTorch's default).
    case counted
  }

  /// `AvgPool`, as in the 2017 toolkit.
  public static var summaryName: String { "AvgPool" }
  package let label: LayerLabel
  /// Kernel, stride and padding in pixels.
  public let geometry: ConvolutionGeometry
  /// How the border counts.
  public let border: Border
  package var kind: PoolingKind { border == .counted ? .averageAll : .averageInside }

  /// Creates an average pooling.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels.
  ///   - stride: the step between windows in pixels, (x, y); the kernel's size when left out.
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), stride: (x: Int, y: Int)? = nil,
    padding: Padding = .valid, border: Border = .excluded, dilation: (x: Int, y: Int) = (1, 1),
    rounding: WindowRounding = .floor, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), stride: stride.map { Size(step: $0) }, padding: padding, border: border,
      dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, stride: Size?, padding: Padding, border: Border, dilation: Size,
    rounding: WindowRounding, label: LayerLabel
  ) {
    // The windows touch unless a stride is stated.
    self.geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride ?? kernel, dilation: dilation, padding: padding,
      rounding: rounding)
    self.border = border
    self.label = label
  }
}
