import Forge
import ForgeImporters

/// A compiled network that uses the names, axes and element types of its file.
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
  /// The node of the file that combines the examples of a batch.
  private let exampleMixer: String?
  /// The inputs of the file that nothing depends on.
  private let ignoredInputs: Set<String>
  /// The index of each input by its name in the file.
  private let places: [String: Int]
  /// The compiled network; `nil` where all outputs are constants.
  private let network: CompiledModel?

  /// Creates a run of a model that was imported; see ``init(_:metadata:compile:)``.
  package init(_ imported: ImportedModel, compile: () throws -> CompiledModel) rethrows {
    try self.init(
      FileInterface(imported), metadata: imported.model.metadata, compile: compile)
  }

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - interface: the inputs and outputs of the file.
  ///   - metadata: the metadata of the network.
  ///   - compile: compiles the network; it is not called where all outputs are constants.
  /// - Throws: what `compile` throws.
  package init(
    _ interface: FileInterface, metadata: ModelMetadata, compile: () throws -> CompiledModel
  ) rethrows {
    inputs = interface.inputs
    outputs = interface.outputs
    constants = interface.constants
    exampleMixer = metadata.exampleMixer
    ignoredInputs = Set(interface.ignoredInputs)
    places = Dictionary(
      interface.inputs.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    network = outputs.isEmpty && !constants.isEmpty ? nil : try compile()
  }

  /// The index of an input by its name in the file.
  private func index(ofInput name: String) throws(ToolError) -> Int {
    guard let index = places[name] else {
      throw ToolError.noInput(name, known: inputs.map(\.name))
    }
    return index
  }

  /// The inputs of every example, by the names of the network.
  ///
  /// - Parameters:
  ///   - given: the values by the names of the file.
  ///   - isBatch: whether the first axis of arrays counts examples. Where the file fixes a batch,
  ///     that of arrays with the axes of the file always does.
  /// - Returns: the inputs of each example.
  /// - Throws: ``ToolError`` of kind `wrongInput` or `unknownName`.
  package func examples(
    _ given: [String: Given], isBatch: Bool = false
  ) throws(ToolError) -> [[String: TensorValues]] {
    var columns: [(name: String, values: [TensorValues], isShared: Bool)] = []
    var most = 1
    let (names, shapes) = (network?.inputNames ?? [], network?.inputShapes ?? [])
    for (name, values) in given.sorted(by: { $0.key < $1.key }) {
      guard !ignoredInputs.contains(name) else {
        if isBatch, case .array(let array) = values { most = max(most, array.sizes.first ?? 1) }
        continue
      }
      let index = try index(ofInput: name)
      let fileName = names.indices.contains(index) ? names[index] : name
      switch values {
      case .values(let example): columns.append((fileName, [example], false))
      case .array(let array):
        try Self.checkNumbers(array, of: inputs[index])
        // An input without an axis of examples, in a file that has a batch, is there once.
        let isShared = isBatch && inputs[index].examples == .shared
        let shape =
          shapes.indices.contains(index) ? shapes[index] : Shape(sizes: array.sizes)
        let isStack = isBatch || inputs[index].isFileBatch(array)
        columns.append(
          (
            fileName,
            try inputs[index].examples(in: array, forge: shape, isBatch: isStack && !isShared),
            isShared
          ))
      }
    }
    for port in inputs where given[port.name] == nil {
      throw ToolError(
        .wrongInput, "the input \"\(port.name)\" has no values",
        needs: "\(port.sizesText) \(port.elementType.rawValue)",
        remedy: "--input \(port.name)=FILE.npy")
    }
    let count = columns.filter { !$0.isShared }.map(\.values.count).max() ?? 1
    for (name, values, isShared) in columns where !isShared && values.count != count {
      throw ToolError(
        .wrongInput, "the inputs have different numbers of examples",
        received: "\(values.count) of \"\(name)\" beside \(count)")
    }
    if max(count, most) > 1, let exampleMixer {
      throw ToolError(
        .wrongInput, "the model file combines the examples of a batch",
        received: "\(max(count, most)) examples", needs: "1 example, because of \(exampleMixer)",
        remedy: "state the sizes of the whole batch, as in --size x=8x4")
    }
    return (0..<count).map { example in
      Dictionary(
        columns.map { ($0.name, $0.values[$0.isShared ? 0 : example]) },
        uniquingKeysWith: { _, last in last })
    }
  }

  /// Refuses numbers that a network, which computes in Float32, does not hold: integers that it
  /// rounds, and 64-bit numbers that become infinite.
  private static func checkNumbers(
    _ array: StoredTensor, of port: ImportedModel.Port
  ) throws(ToolError) {
    if array.elementType == .float64 { try checkMagnitudes(array, of: port) }
    let limit: UInt64 = 1 << 24
    guard port.elementType == .int32 || port.elementType == .int64, let values = array.int64s,
      let index = values.firstIndex(where: { $0.magnitude >= limit })
    else { return }
    throw ToolError(
      .wrongInput,
      "the input \"\(port.name)\" holds an integer that Float32 may not represent exactly",
      received: "\(values[index]) at index \(index)",
      needs: "integers from -\(limit - 1) to \(limit - 1)")
  }

  private static func checkMagnitudes(
    _ array: StoredTensor, of port: ImportedModel.Port
  ) throws(ToolError) {
    for (index, float) in array.floats.enumerated() where float.isInfinite {
      let bits = array.bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: index * MemoryLayout<UInt64>.size, as: UInt64.self)
      }
      let value = Double(bitPattern: UInt64(littleEndian: bits))
      // Infinities of the array itself are infinities of the network.
      guard value.isFinite else { continue }
      throw ToolError(
        .wrongInput, "the input \"\(port.name)\" holds a number that is too large for Float32",
        received: "\(value) at index \(index)", needs: "at most \(Float.greatestFiniteMagnitude)")
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

  /// The results of every example in the order of the outputs, rows that do not count left out.
  package func results(_ examples: [[String: TensorValues]]) throws -> [[TensorValues]] {
    try examples.map { example in
      guard let network else { return [] }
      let predictions = try network.predict(example)
      return try outputs.indices.compactMap { index in
        guard network.outputNames.indices.contains(index),
          let values = predictions[network.outputNames[index]]
        else { return nil }
        guard let rows = outputs[index].rows, let count = predictions[rows.countName]?.values.first
        else { return values }
        let most = outputs[index].sizes[rows.axis] / max(rows.entries, 1)
        guard let chosen = Int(exactly: count), (0...most).contains(chosen) else {
          throw ToolError(
            .wrongInput, "the network chooses rows that \"\(outputs[index].name)\" does not have",
            received: "\(count)", needs: "a whole number from 0 to \(most)")
        }
        return outputs[index].prefix(chosen * rows.entries, of: values, along: rows.axis)
      }
    }
  }

  /// The outputs as arrays of the file, in order, and after them those whose values are known.
  ///
  /// - Parameters:
  ///   - results: the results of every example.
  ///   - isBatch: whether arrays have an axis of examples in any case. Where the file fixes a
  ///     batch, they do.
  /// - Returns: the arrays by name.
  /// - Throws: ``ImportError`` when the examples differ in sizes.
  package func arrays(
    of results: [[TensorValues]], isBatch: Bool = false
  ) throws(ImportError) -> [(name: String, array: StoredTensor)] {
    var arrays: [(name: String, array: StoredTensor)] = []
    for (index, port) in outputs.enumerated() {
      var values = results.compactMap { $0.indices.contains(index) ? $0[index] : nil }
      // Rows that were selected differ in number. Values that no example changes are there once.
      if let first = values.first, let other = values.first(where: { $0.shape != first.shape }) {
        throw ImportError(
          .parameter, "the examples have different numbers of rows in \"\(port.name)\"",
          received: "\(first.shape) and \(other.shape)", remedy: "predict one example at a time")
      }
      if port.examples == .shared { values = Array(values.prefix(1)) }
      let isStack = isBatch || port.batchSize != nil
      arrays.append((port.name, try port.array(of: values, isBatch: isStack)))
    }
    return arrays + constants.map { ($0.name, $0.values) }
  }
}
