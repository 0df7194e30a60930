import ForgeOperations
import ForgeShapes

/// What Convolution, DepthwiseConvolution, PointwiseConvolution and Dense have in common: weights,
/// perhaps a bias per output channel, and an activation at the end.
package protocol WeightedLayer: Layer {
  /// Whether there is a bias.
  var useBias: Bool { get }
  /// Applied last.
  var activation: ActivationFunction { get }
}

extension WeightedLayer {
  /// An operation on the input, its weights and the biases where used, and then the activation.
  func lower(
    _ operation: some WeightedOperation, into lowering: inout Lowering
  ) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    try operation.validateArguments(shape)
    try activation.validate()
    // An output that would be empty is the mistake to name before a weight that would be too large.
    _ = try operation.outputShape(for: [shape])
    var operands = [input, try lowering.parameter(try operation.weights(for: shape))]
    if useBias {
      let outputs = try operation.outputs(for: shape)
      operands.append(try lowering.parameter(.biases, [.outputs: outputs]))
    }
    let sum = try lowering.apply(operation.primitive, to: operands)
    lowering.output = try lowering.apply(activation, to: sum)
  }
}
