import ForgeOperations
import ForgeShapes

/// The brightness of each pixel of a color image.
///
/// `y = 0.299·red + 0.587·green + 0.114·blue`, the luma of BT.601, in the units of the input.
///
/// - Input shape: (width, height, 3), the channels red, green, blue.
/// - Output shape: (width, height, 1).
/// - Parameters: none.
/// - Errors: `shapeMismatch` for a different number of channels or an input that is not an image.
/// - Names elsewhere: TensorFlow rgb_to_grayscale (there 0.2989 for red), Pillow's mode L, OpenCV's
///   RGB2GRAY.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 3) --> Grayscale()  // (28, 28, 1)
/// ```
public struct Grayscale: BuiltInLayer {
  package let label: LayerLabel
  /// The weights of red, green and blue.
  package static let weights: [Float] = [0.299, 0.587, 0.114]

  /// Creates a conversion to brightness.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one pointwise convolution.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    try ArgumentRule.channels(
      of: lowering.shape(of: input), oneOf: [3], meaning: "red, green, blue")
    let weights = try lowering.constant(Self.weights, shape: Shape(sizes: [1, 1, 1, 3]))
    lowering.output = try lowering.apply(
      .convolution(ConvolutionGeometry(kernel: .one), outputs: 1, groups: 1),
      to: [input, weights])
  }
}
