import Forge
import ForgeImporters

/// A compiled network that speaks the language of its file: names, axes and element types.
package struct NetworkRun {
  /// The values of one input.
  package enum Given {
    /// An array with the axes of the file or of Forge.
    case array(StoredTensor)
    /// One example in Forge's axis order, such as a picture.
    case values(TensorValues)
  }

  /// The inputs of the file.
  package let inputs: [ImportedModel.Port]
  /// The outputs of the file.
  package let outputs: [ImportedModel.Port]
  /// The compiled network.
  package let network: CompiledModel

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - imported: the model and its inputs and outputs.
  ///   - network: the same model, compiled.
  package init(_ imported: ImportedModel, _ network: CompiledModel) {
    inputs = imported.inputs
    outputs = imported.outputs
    self.network = network
  }

  /// The index of an input by its name in the file.
  private func index(ofInput name: String) throws(ToolError) -> Int {
    guard let index = inputs.firstIndex(where: { $0.name == name }) else {
      throw ToolError.noInput(name, known: inputs.map(\.name))
    }
    return index
  }

  /// The inputs of every example, by the names of the network.
  package func examples(
    _ given: [String: Given], isBatch: Bool = false
  ) throws(ToolError) -> [[String: TensorValues]] {
    var columns: [(name: String, values: [TensorValues])] = []
    for (name, values) in given.sorted(by: { $0.key < $1.key }) {
      let index = try index(ofInput: name)
      let own = network.inputNames.indices.contains(index) ? network.inputNames[index] : name
      switch values {
      case .values(let example): columns.append((own, [example]))
      case .array(let array):
        let shape = network.inputShapes.indices.contains(index) ? network.inputShapes[index] : nil
        columns.append(
          (
            own,
            try inputs[index].examples(
              in: array, forge: shape ?? Shape(sizes: array.sizes), isBatch: isBatch)
          ))
      }
    }
    for port in inputs where given[port.name] == nil {
      throw ToolError(
        .wrongInput, "the input \"\(port.name)\" has no values",
        needs: "\(StoredTensor.text(of: port.sizes)) \(port.elementType.rawValue)",
        remedy: "--input \(port.name)=FILE.npy")
    }
    let count = columns.map(\.values.count).max() ?? 1
    for (name, values) in columns where values.count != count {
      throw ToolError(
        .wrongInput, "the inputs have different numbers of examples",
        received: "\(values.count) of \"\(name)\" beside \(count)")
    }
    return (0..<count).map { example in
      Dictionary(
        columns.map { ($0.name, $0.values[example]) }, uniquingKeysWith: { _, last in last })
    }
  }

  /// The results of every example in the order of the outputs.
  package func results(_ examples: [[String: TensorValues]]) throws -> [[TensorValues]] {
    try examples.map { example in
      let predictions = try network.predict(example)
      return outputs.indices.compactMap { index in
        network.outputNames.indices.contains(index) ? predictions[network.outputNames[index]] : nil
      }
    }
  }

  /// The outputs as arrays of the file, in order.
  package func arrays(
    of results: [[TensorValues]], isBatch: Bool = false
  ) throws(ImportError) -> [(name: String, array: StoredTensor)] {
    var arrays: [(name: String, array: StoredTensor)] = []
    for (index, port) in outputs.enumerated() {
      let values = results.compactMap { $0.indices.contains(index) ? $0[index] : nil }
      arrays.append((port.name, try port.array(of: values, isBatch: isBatch)))
    }
    return arrays
  }
}
