import ForgeOperations
import ForgeShapes

/// The forms with numbers, each of which stands for a pair of equal numbers.
///
/// There is one initializer for each mixture of numbers and pairs. A number is required where a
/// pair has a default, so that a call fits one of them only.
extension AveragePooling {
  /// Creates an average pooling with a square window.
  ///
  /// See the initializer with pairs.
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
  /// See the initializer with pairs.
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
  /// See the initializer with pairs.
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
  /// See the initializer with pairs.
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
  /// See the initializer with pairs.
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
