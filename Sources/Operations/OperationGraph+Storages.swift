/// The values of a graph that are 8-bit integers.
extension OperationGraph {
  /// The types of the values that are 8-bit integers, by index.
  package var storages: [Int: Quantization.Storage] {
    var storages: [Int: Quantization.Storage] = [:]
    for node in nodes {
      let operation = node.primitive.operation
      if let operation = operation as? any IntegerOperation {
        storages[node.output.index] = operation.storage
      } else if operation.traits.keepsElements, let input = node.inputs.first {
        storages[node.output.index] = storages[input.index]
      }
    }
    return storages
  }
}
