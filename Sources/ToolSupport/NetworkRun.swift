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
  /// The outputs of the file whose values are known.
  private let constants: [ImportedModel.Constant]
  /// The inputs of the file that nothing depends on.
  private let ignoredInputs: Set<String>
  /// The compiled network; `nil` where all outputs are constants.
  private let network: CompiledModel?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - imported: the model and its inputs and outputs.
  ///   - compile: compiles the model; it is not called where all outputs are constants.
  /// - Throws: what `compile` throws.
  package init(_ imported: ImportedModel, compile: () throws -> CompiledModel) rethrows {
    inputs = imported.inputs
    outputs = imported.outputs
    constants = imported.constants
    ignoredInputs = Set(imported.ignoredInputs)
    network = outputs.isEmpty && !constants.isEmpty ? nil : try compile()
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
    let (names, shapes) = (network?.inputNames ?? [], network?.inputShapes ?? [])
    for (name, values) in given.sorted(by: { $0.key < $1.key })
    where !ignoredInputs.contains(name) {
      let index = try index(ofInput: name)
      let own = names.indices.contains(index) ? names[index] : name
      switch values {
      case .values(let example): columns.append((own, [example]))
      case .array(let array):
        let shape = shapes.indices.contains(index) ? shapes[index] : nil
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
        needs: "\(port.sizesText) \(port.elementType.rawValue)",
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

  /// Checks that a file of labels has one name for each class of an output.
  ///
  /// Outputs of classes are vectors. Sizes that a prediction chooses pass.
  ///
  /// - Throws: ``ToolError`` of kind `wrongInput`.
  package func checkLabels(_ count: Int, of path: String) throws(ToolError) {
    var classes: [Int] = []
    for port in outputs {
      guard port.lengthAxes.isEmpty, !port.sizes.contains(where: { $0 < 0 }) else { return }
      let sizes = port.sizes.filter { $0 > 1 }
      if sizes.count == 1 { classes.append(sizes[0]) }
    }
    guard !classes.contains(count) else { return }
    throw ToolError(
      .wrongInput, "the labels do not fit the output",
      received: "\(count) \(count == 1 ? "line" : "lines") in \(path)",
      needs: classes.isEmpty
        ? "a model with an output of classes"
        : "\(classes.map(String.init).joined(separator: " or ")), one for each class")
  }

  /// The results of every example in the order of the outputs.
  package func results(_ examples: [[String: TensorValues]]) throws -> [[TensorValues]] {
    try examples.map { example in
      guard let network else { return [] }
      let predictions = try network.predict(example)
      return outputs.indices.compactMap { index in
        network.outputNames.indices.contains(index) ? predictions[network.outputNames[index]] : nil
      }
    }
  }

  /// The outputs as arrays of the file, in order, and behind them those whose values are known.
  package func arrays(
    of results: [[TensorValues]], isBatch: Bool = false
  ) throws(ImportError) -> [(name: String, array: StoredTensor)] {
    var arrays: [(name: String, array: StoredTensor)] = []
    for (index, port) in outputs.enumerated() {
      let values = results.compactMap { $0.indices.contains(index) ? $0[index] : nil }
      arrays.append((port.name, try port.array(of: values, isBatch: isBatch)))
    }
    return arrays + constants.map { ($0.name, $0.values) }
  }
}
