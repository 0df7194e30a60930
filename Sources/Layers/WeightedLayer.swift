import ForgeOperations
import ForgeShapes

/// The common part of the convolutions and Dense: weights, optional biases, and an activation.
package protocol WeightedLayer: BuiltInLayer {
  /// Whether there is a bias.
  var hasBias: Bool { get }
  /// The activation, applied last.
  var activation: ActivationFunction { get }
  /// What the integer 1 stands for in weights that are 8-bit integers times a scale: one number
  /// for each output, or one for all; `nil` for other weights.
  var weightScales: [Float]? { get set }
  /// The blocks of 4-bit weights; `nil` for other weights.
  var weightBlocks: WeightBlocks? { get }
}

extension WeightedLayer {
  package var weightBlocks: WeightBlocks? { nil }

  /// Applies an operation to the input, its weights and optional biases, and then the activation.
  func lower(
    _ operation: some WeightedOperation, into lowering: inout Lowering
  ) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    try operation.validateArguments(shape)
    try activation.validate()
    // An empty output is reported before weights that are too large.
    _ = try operation.outputShape(for: [shape])
    let weights = try lowering.parameter(try operation.weights(for: shape))
    lowering.graph.weightScales[weights.index] = weightScales
    lowering.graph.weightBlocks[weights.index] = weightBlocks
    var operands = [input, weights]
    if hasBias {
      let outputs = try operation.outputs(for: shape)
      operands.append(try lowering.parameter(.biases, [.outputs: outputs]))
    }
    let sum = try lowering.apply(operation.primitive, to: operands)
    lowering.output = try lowering.apply(activation, to: sum)
  }
}
