import ForgeOperations
import ForgeShapes

/// Subtracts a mean color from each pixel.
///
/// `y = (red − meanRed, green − meanGreen, blue − meanBlue)`, in the units of the input (0 to 255
/// for most published means).
///
/// The channels must be red, green, blue. After ``SwapRedBlue`` they are blue, green, red, so put
/// this layer before it.
///
/// - Input shape: (width, height, 3).
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `shapeMismatch` for a different number of channels or an input that is not an image,
///   `invalidArgument` for a mean that is not finite.
/// - Names elsewhere: Keras's preprocessing for VGG and ResNet v1 ("caffe"), Core ML's redBias,
///   greenBias and blueBias with the sign changed.
///
/// ```swift
/// Input(width: 224, height: 224, channels: 3)
///   --> SubtractMeanColor(red: 123.68, green: 116.779, blue: 103.939)  // (224, 224, 3)
/// ```
public struct SubtractMeanColor: BuiltInLayer {
  /// `SubMean` for short.
  public static var summaryName: String { "SubMean" }
  package let label: LayerLabel
  /// The mean of the first channel.
  public let red: Float
  /// The mean of the second channel.
  public let green: Float
  /// The mean of the third channel.
  public let blue: Float

  /// Creates a subtraction of a mean color.
  ///
  /// - Parameters:
  ///   - red: the mean of the first channel.
  ///   - green: the mean of the second channel.
  ///   - blue: the mean of the third channel.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    red: Float, green: Float, blue: Float, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.red = red
    self.green = green
    self.blue = blue
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one scale of ones and a shift.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    try ArgumentRule.finite(red, "red")
    try ArgumentRule.finite(green, "green")
    try ArgumentRule.finite(blue, "blue")
    try ArgumentRule.channels(
      of: lowering.shape(of: input), oneOf: [3], meaning: "red, green, blue")
    let scale = try lowering.perChannel([1])
    let shift = try lowering.perChannel([-red, -green, -blue])
    lowering.output = try lowering.apply(.affine, to: [input, scale, shift])
  }
}
