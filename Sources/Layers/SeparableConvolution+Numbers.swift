import ForgeOperations
import ForgeShapes

/// The forms with numbers, each of which stands for a pair of equal numbers.
///
/// There is one initializer for each mixture of numbers and pairs. A number is required where a
/// pair has a default, so that a call fits one of them only.
extension SeparableConvolution {
  /// Creates a separable convolution with a square kernel.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: Int, channels: Int, multiplier: Int = 1, stride: (x: Int, y: Int) = (1, 1),
    dilation: (x: Int, y: Int) = (1, 1), padding: Padding = .same,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), channels: channels, multiplier: multiplier,
      stride: Size(step: stride),
      dilation: Size(step: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with a square kernel and one number for the dilation.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: Int, channels: Int, multiplier: Int = 1, stride: (x: Int, y: Int) = (1, 1),
    dilation: Int,
    padding: Padding = .same, activation: ActivationFunction = .linear,
    useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), channels: channels, multiplier: multiplier,
      stride: Size(step: stride),
      dilation: Size(square: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with a square kernel and one number for the stride.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: Int, channels: Int, multiplier: Int = 1, stride: Int,
    dilation: (x: Int, y: Int) = (1, 1),
    padding: Padding = .same, activation: ActivationFunction = .linear,
    useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), channels: channels, multiplier: multiplier,
      stride: Size(square: stride),
      dilation: Size(step: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with a square kernel and one number for stride and dilation.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: Int, channels: Int, multiplier: Int = 1, stride: Int, dilation: Int,
    padding: Padding = .same, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(square: kernel), channels: channels, multiplier: multiplier,
      stride: Size(square: stride),
      dilation: Size(square: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with one number for the dilation.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: (width: Int, height: Int), channels: Int, multiplier: Int = 1,
    stride: (x: Int, y: Int) = (1, 1),
    dilation: Int, padding: Padding = .same,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, multiplier: multiplier, stride: Size(step: stride),
      dilation: Size(square: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with one number for the stride.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: (width: Int, height: Int), channels: Int, multiplier: Int = 1, stride: Int,
    dilation: (x: Int, y: Int) = (1, 1), padding: Padding = .same,
    activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, multiplier: multiplier,
      stride: Size(square: stride),
      dilation: Size(step: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }

  /// Creates a separable convolution with one number for the stride and dilation.
  ///
  /// See the initializer with pairs.
  public init(
    kernel: (width: Int, height: Int), channels: Int, multiplier: Int = 1, stride: Int,
    dilation: Int,
    padding: Padding = .same, activation: ActivationFunction = .linear,
    useBias: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      kernel: Size(kernel), channels: channels, multiplier: multiplier,
      stride: Size(square: stride),
      dilation: Size(square: dilation), padding: padding, activation: activation,
      useBias: useBias, label: LayerLabel(name, fileID, line, column))
  }
}
