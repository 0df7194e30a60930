import Forge
import ForgeOperations

/// What the input terms of recurrent gates are computed from, for formats whose recurrent layers
/// take the sequence itself.
struct RecurrentGates {
  /// [times][rows][channels].
  let sequence: OperationGraph.Value
  /// [gates · units][channels].
  let weights: OperationGraph.Value
  /// [gates · units]; `nil` if there are none.
  let biases: OperationGraph.Value?
}

extension ExportGraph {
  /// The sequence, the weights and the biases of the product that makes a value; `nil` if it is
  /// not a product.
  func gates(_ value: OperationGraph.Value) -> RecurrentGates? {
    guard let split = producers[value.index], case .reshape = split.primitive,
      let product = producers[split.inputs[0].index],
      case .convolution(let geometry, _, 1) = product.primitive, geometry.isPointwise,
      let joined = producers[product.inputs[0].index], case .reshape = joined.primitive,
      sizes(joined.inputs[0]).count == 3
    else { return nil }
    return RecurrentGates(
      sequence: joined.inputs[0], weights: product.inputs[1],
      biases: product.inputs.dropFirst(2).first)
  }
}
