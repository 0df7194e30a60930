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
  /// The weights, and biases where used.
  package func specs(
    weights: ParameterSpec, outputs: Int
  ) throws(ShapeError) -> [ParameterSpec] {
    try SizeRule.bounded(weights)
    return useBias ? [weights, ParameterSpec(.biases, [.outputs: outputs])] : [weights]
  }

  /// `primitive` on the input, the weights and the biases where used, and then the activation.
  package func weighted(
    _ primitive: Primitive, in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    var operands = lowering.inputs + [try lowering.parameter(.weights)]
    if useBias { operands.append(try lowering.parameter(.biases)) }
    let sum = try lowering.apply(primitive, to: operands)
    return try lowering.apply(activation, to: sum)
  }
}
