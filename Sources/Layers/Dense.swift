import ForgeOperations
import ForgeShapes

/// A fully connected layer with bias and activation.
///
/// `y(o) = f(b(o) + Σ w(o, i) · x(i))`, where `i` runs over all values in memory order: an image is
/// flattened as height, width, channels, without a preceding ``Flatten``.
///
/// - Input shape: any, of known sizes.
/// - Output shape: (1, 1, `neurons`).
/// - Parameters: weights [outputs][height][width][inputs] with the image's sizes (height and width
///   1 and inputs the number of values for anything else) and, with `useBias`, biases [outputs].
/// - Errors: `invalidArgument` for a number out of range, `unknownSize` for an input of unknown
///   size, `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras Flatten and Dense, ONNX Flatten and Gemm, Core ML innerProduct.
///
/// ```swift
/// Input(width: 7, height: 7, channels: 50)
///   --> Dense(neurons: 320, activation: .relu, name: "fc1")  // (1, 1, 320)
/// ```
public struct Dense: WeightedLayer {
  package let label: LayerLabel
  /// The number of outputs.
  public let neurons: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction
  package var weightScales: [Float]?
  package var weightBlocks: WeightBlocks?

  /// Creates a dense layer.
  ///
  /// - Parameters:
  ///   - neurons: the number of outputs.
  ///   - activation: the activation, applied last.
  ///   - useBias: whether a bias is added.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    neurons: Int, activation: ActivationFunction = .linear, useBias: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.neurons = neurons
    hasBias = useBias
    self.activation = activation
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one dense operation and the activation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(neurons, "neurons")
    try lower(DenseOperation(outputs: neurons), into: &lowering)
  }
}
