import ForgeOperations
import ForgeShapes

/// The forms with numbers, each of which stands for a pair of equal numbers.
///
/// There is one initializer for each mixture of numbers and pairs. A number is required where a
/// pair has a default, so that a call fits one of them only.
extension SeparableConvolution {
  /// Creates a separable convolution with a square kernel.
  ///
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels, one number for both.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels, one number for both.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, one number for x and y.
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels, one number for both.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, one number for x and y.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels, one number for both.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, one number for x and y.
  ///   - dilation: the distance between taps in pixels, one number for x and y.
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, (x, y).
  ///   - dilation: the distance between taps in pixels, one number for x and y.
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, one number for x and y.
  ///   - dilation: the distance between taps in pixels, (x, y).
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
  /// - Parameters:
  ///   - kernel: width and height of the kernel in pixels.
  ///   - channels: the number of output channels.
  ///   - multiplier: the number of intermediate channels per input channel.
  ///   - stride: the step between windows in pixels, one number for x and y.
  ///   - dilation: the distance between taps in pixels, one number for x and y.
  ///   - padding: what happens at the border.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
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
