import Forge
import ForgeImporters

extension ImportedModel {
  /// The size of an axis that takes any.
  private static let anySize = 64

  /// Whether an input takes integers, as indices or truth values.
  package var takesIntegers: Bool { inputs.contains(where: \.isOfIntegers) }

  /// Seeded random values for each input, by its name in the file.
  ///
  /// Numbers are in −1…1, and integers are 0 or 1, which every index allows. Axes that take any
  /// size get 64.
  package func seededInputs(seed: UInt64 = 1) throws(ToolError) -> [String: NetworkRun.Given] {
    var random = SplitMix64(seed: seed)
    var given: [String: NetworkRun.Given] = [:]
    for (port, tensor) in zip(inputs, model.inputs) {
      let sizes = (tensor.shape?.dimensions ?? []).map { $0 ?? Self.anySize }
      guard let count = Shape.product(of: sizes) else {
        throw ToolError(
          .wrongInput, "the input \"\(port.name)\" is too large",
          received: StoredTensor.text(of: sizes))
      }
      let values = (0..<count).map { _ in
        let value = random.nextSymmetric()
        return port.isOfIntegers ? (value > 0 ? 1 : 0) : value
      }
      given[port.name] = .values(TensorValues(shape: Shape(sizes: sizes), values: values))
    }
    return given
  }
}

extension ImportedModel.Port {
  /// Whether the elements are integers or truth values.
  fileprivate var isOfIntegers: Bool {
    switch elementType {
    case .int8, .uint8, .int32, .int64, .bool: true
    case .float32, .float16, .bfloat16, .float64: false
    }
  }
}
