import ForgeOperations
import ForgeShapes

/// The forms with numbers, each of which stands for a pair of equal numbers.
///
/// There is one initializer for each mixture of numbers and pairs. A number is required where a
/// pair has a default, so that a call fits one of them only.
extension AveragePooling {
  /// Creates an average pooling with a square window.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels, one number for both.
  ///   - stride: the step between windows in pixels, for x and y; the kernel's size when left
  ///     out.
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, stride: Int? = nil, padding: Padding = .valid, border: Border = .excluded,
    dilation: (x: Int, y: Int) = (1, 1), rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), stride: stride.map(Size.init(square:)), padding: padding,
      border: border, dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  /// Creates an average pooling with a square window and a pair for the stride.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels, one number for both.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: Int, stride: (x: Int, y: Int), padding: Padding = .valid, border: Border = .excluded,
    dilation: (x: Int, y: Int) = (1, 1), rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), stride: Size(step: stride), padding: padding, border: border,
      dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  /// Creates an average pooling with a square window.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels, one number for both.
  ///   - stride: the step between windows in pixels, for x and y; the kernel's size when left
  ///     out.
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kernel: Int, stride: Int? = nil, padding: Padding = .valid, border: Border = .excluded,
    dilation: (x: Int, y: Int) = (1, 1), rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), stride: stride.map(Size.init(square:)), padding: padding,
      border: border, dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  /// Creates an average pooling with a square window and a pair for the stride.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels, one number for both.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kernel: Int, stride: (x: Int, y: Int), padding: Padding = .valid, border: Border = .excluded,
    dilation: (x: Int, y: Int) = (1, 1), rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), stride: Size(step: stride), padding: padding, border: border,
      dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }

  /// Creates an average pooling with one number for the stride.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the window in pixels.
  ///   - stride: the step between windows in pixels, one number for x and y.
  ///   - padding: what happens at the border.
  ///   - border: how the border counts.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    kernel: (width: Int, height: Int), stride: Int, padding: Padding = .valid,
    border: Border = .excluded, dilation: (x: Int, y: Int) = (1, 1),
    rounding: WindowRounding = .floor, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), stride: Size(square: stride), padding: padding, border: border,
      dilation: Size(step: dilation), rounding: rounding,
      label: LayerLabel(name, fileID, line, column))
  }
}
