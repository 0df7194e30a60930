import ForgeOperations
import ForgeShapes

/// The largest value of a moving window, channel by channel.
///
/// `y(i, j, c) = max x(i·sᵧ + u − top, j·sₓ + v − left, c)` over the pixels of the window that lie
/// inside the image; NaN if one of them is.
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
/// - Names elsewhere: Keras MaxPooling2D, ONNX MaxPool, Core ML pooling MAX.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 20)
///   --> MaxPooling(kernel: (2, 2))  // (14, 14, 20)
/// ```
public struct MaxPooling: PoolingLayer {
  /// `MaxPool`, as in the 2017 toolkit.
  public static var summaryName: String { "MaxPool" }
  package let label: LayerLabel
  /// Kernel, stride and padding in pixels.
  public let geometry: ConvolutionGeometry
  package var kind: PoolingKind { .maximum }

  /// Creates a max pooling.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels.
  ///   - stride: the step between windows in pixels, (x, y); the kernel's size when left out.
  ///   - padding: what happens at the border.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), stride: (x: Int, y: Int)? = nil,
    padding: Padding = .valid, dilation: (x: Int, y: Int) = (1, 1),
    rounding: WindowRounding = .floor, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), stride: stride.map { Size(step: $0) }, padding: padding,
      dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  init(
    kernel: Size, stride: Size?, padding: Padding, dilation: Size, rounding: WindowRounding,
    label: LayerLabel
  ) {
    // The windows touch unless a stride is stated.
    self.geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride ?? kernel, dilation: dilation, padding: padding,
      rounding: rounding)
    self.label = label
  }
}
