import Forge
import ForgeImporters

extension FileInterface {
  /// The size of an axis that takes any.
  private static let anySize = 64

  /// The inputs, by index, whose type in the file is an integer or a Boolean.
  package var integerInputs: Set<Int> { Set(inputs.indices.filter { inputs[$0].isOfIntegers }) }

  /// Seeded random values for each input, by its name in the file.
  ///
  /// Numbers are in −1…1. Inputs that choose rows of a table are ids of that table, whatever type
  /// the file declares; other integers are 0 or 1. Axes that take any size get 64.
  ///
  /// - Parameters:
  ///   - shapes: the shapes of the inputs in Forge.
  ///   - ids: the inputs that choose rows of a table, by index, with the number of its rows.
  ///   - seed: the seed.
  /// - Returns: the values.
  /// - Throws: ``ToolError`` of kind `wrongInput` for an input that is too large.
  package func seededInputs(
    _ shapes: [Shape?], ids: [Int: Int], seed: UInt64 = 1
  ) throws(ToolError) -> [String: NetworkRun.Given] {
    var random = SplitMix64(seed: seed)
    var given: [String: NetworkRun.Given] = [:]
    for (index, (port, shape)) in zip(inputs, shapes).enumerated() {
      let sizes = (shape?.dimensions ?? []).map { $0 ?? Self.anySize }
      guard let count = Shape.product(of: sizes) else {
        throw ToolError(
          .wrongInput, "the input \"\(port.name)\" is too large",
          received: StoredTensor.text(of: sizes))
      }
      let values = (0..<count).map { _ in
        if let rows = ids[index] { return Float(random.next() % UInt64(max(rows, 1))) }
        let value = random.nextSymmetric()
        return port.isOfIntegers ? (value > 0 ? 1 : 0) : value
      }
      given[port.name] = .values(TensorValues(shape: Shape(sizes: sizes), values: values))
    }
    return given
  }
}

extension ImportedModel {
  /// The inputs of the model, by index, whose type in the file is an integer or a Boolean.
  package var integerInputs: Set<Int> { FileInterface(self).integerInputs }

  /// Whether an input takes whole numbers: ids, or integers or Booleans in the file.
  package var takesIntegers: Bool { !integerInputs.isEmpty || !model.indexInputs.isEmpty }

  /// Seeded random values for each input, by its name in the file; see
  /// ``FileInterface/seededInputs(_:ids:seed:)``.
  package func seededInputs(seed: UInt64 = 1) throws(ToolError) -> [String: NetworkRun.Given] {
    try FileInterface(self).seededInputs(
      model.inputs.map(\.shape), ids: model.indexInputs, seed: seed)
  }
}

extension ImportedModel.Port {
  /// Whether the elements are integers or Booleans.
  fileprivate var isOfIntegers: Bool {
    switch elementType {
    case .int8, .uint8, .int32, .int64, .bool: true
    case .float32, .float16, .bfloat16, .float64: false
    }
  }
}
