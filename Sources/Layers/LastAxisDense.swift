import ForgeOperations
import ForgeShapes

/// A fully connected layer along the last axis, with bias and activation.
///
/// `y(…, o) = f(b(o) + Σᵢ w(o, i) · x(…, i))`: the same weights for every position, as in a
/// transformer or for the steps of a sequence. ``Dense`` flattens its input instead.
///
/// - Input shape: any […][inputs], with a known last size.
/// - Output shape: […][`neurons`].
/// - Parameters: weights [outputs][1][1][inputs] and, with `useBias`, biases [outputs].
/// - Errors: `invalidArgument` for a number out of range, `unknownSize` for an unknown size,
///   `tooLarge` for weights beyond bounds.
/// - Names elsewhere: Keras Dense, PyTorch Linear, ONNX MatMul with a constant, Core ML
///   innerProduct and linear.
///
/// ```swift
/// Input(shape: [128, 384]) --> LastAxisDense(neurons: 1536, activation: .gelu, name: "fc1")
/// ```
public struct LastAxisDense: WeightedLayer {
  /// `AxisDense`.
  public static var summaryName: String { "AxisDense" }
  package let label: LayerLabel
  /// The number of outputs.
  public let neurons: Int
  /// Whether there is a bias.
  public let hasBias: Bool
  /// The activation, applied last.
  public let activation: ActivationFunction
  package var weightScales: [Float]?
  package var weightBlocks: WeightBlocks?

  /// Creates a dense layer along the last axis.
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

  /// Lowers to a pointwise convolution of an image whose pixels are the positions.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(neurons, "neurons")
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    let operation = ConvolutionOperation(
      geometry: ConvolutionGeometry(kernel: .one), outputs: neurons, groups: 1)
    guard !shape.isImage else {
      try lower(operation, into: &lowering)
      return
    }
    let sizes = try ArgumentRule.known(shape, "known sizes")
    guard let inputs = sizes.last, let count = Shape.product(of: Array(sizes.dropLast())) else {
      throw .tooManyElements()
    }
    let pixels = try lowering.apply(.reshape([1, count, inputs]), to: [input])
    lowering.inputs = [pixels]
    try lower(operation, into: &lowering)
    let output = try lowering.apply(
      .reshape(sizes.dropLast() + [neurons]), to: [try lowering.checkedOutput()])
    lowering.state(.stepsFirst, of: output)
    lowering.output = output
  }
}
