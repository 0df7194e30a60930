import Forge

/// One operation of an ML Program with its operands, and the place for its results.
///
/// Operations are translated to operators of ONNX, which the ONNX importer's operations import.
struct MILCall: ONNXTranslation {
  /// The operation.
  let operation: MILOperation
  private let operands: [String: [MILOperand]]
  /// The results, as many as the operation has outputs.
  private(set) var results: [MILOperand?]
  let name: String
  let modelOutputs: Set<String>
  let isOfNumbers = false
  /// Whether values of the program become integers while predicting, which products read.
  let quantizes: Bool
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  var nodeCount = 0

  init(
    _ operation: MILOperation, operands: [String: [MILOperand]], modelOutputs: Set<String>,
    prefix: String, quantizes: Bool = false
  ) {
    self.operation = operation
    self.quantizes = quantizes
    self.operands = operands
    self.modelOutputs = modelOutputs
    // The name of layers is that of the operation's first output.
    name = prefix + (operation.outputs.first ?? "")
    results = Array(repeating: nil, count: operation.outputs.count)
  }

  // MARK: Operands

  /// Whether an operand is given.
  func has(_ key: String) -> Bool { operands[key]?.isEmpty == false }

  /// The only operand of a name.
  private func operand(_ key: String) throws -> MILOperand? {
    guard let list = operands[key], let first = list.first else { return nil }
    guard list.count == 1 else { throw NodeFailure.invalid("\(list.count) operands \(key)") }
    return first
  }

  /// A tensor.
  func value(_ key: String = "x") throws -> FileValue {
    guard let value = try optional(key) else { throw NodeFailure.invalid("no operand \(key)") }
    return value
  }

  /// A tensor that may be left out.
  func optional(_ key: String) throws -> FileValue? {
    guard let operand = try operand(key) else { return nil }
    return try Self.value(operand, key)
  }

  /// A list of tensors.
  func values(_ key: String = "values") throws -> [FileValue] {
    try (operands[key] ?? []).map { try Self.value($0, key) }
  }

  private static func value(_ operand: MILOperand, _ key: String) throws -> FileValue {
    switch operand {
    case .value(let value): return value
    case .packed(let packed): return .host(try packed.tensor())
    case .texts: throw NodeFailure.invalid("a text as \(key)")
    }
  }

  /// Stored integers as they are, where an operation can take them.
  func packed(_ key: String) throws -> MILPacked? {
    if case .packed(let packed)? = try operand(key) { packed } else { nil }
  }

  /// Values that must be known while importing; `nil` if they are left out.
  func known(_ key: String) throws -> HostTensor? {
    switch try optional(key) {
    case .host(let tensor)?: return tensor
    case .network?, .length?: throw NodeFailure.unsupported("\(key) computed at run time")
    case nil: return nil
    }
  }

  /// Integers that must be known; `nil` if they are left out.
  func ints(_ key: String) throws -> [Int]? { try known(key)?.integers().map { Int($0) } }

  /// An integer that must be known.
  func int(_ key: String, _ absent: Int? = nil) throws -> Int {
    guard let value = try ints(key)?.first ?? absent else {
      throw NodeFailure.invalid("no operand \(key)")
    }
    return value
  }

  /// A number that must be known.
  func float(_ key: String, _ absent: Float? = nil) throws -> Float {
    guard let value = try known(key)?.floats().first ?? absent else {
      throw NodeFailure.invalid("no operand \(key)")
    }
    return value
  }

  /// A Boolean that must be known.
  func bool(_ key: String, _ absent: Bool) throws -> Bool {
    try ints(key)?.first.map { $0 != 0 } ?? absent
  }

  /// Texts; `nil` if they are left out.
  func texts(_ key: String) throws -> [String]? {
    guard let operand = try operand(key) else { return nil }
    guard case .texts(let texts) = operand else {
      throw NodeFailure.invalid("\(key) is not text")
    }
    return texts
  }

  /// Texts, or integers as texts.
  func labels(_ key: String) throws -> [String] {
    if let texts = try? texts(key) { return texts }
    return try ints(key)?.map { "\($0)" } ?? []
  }

  /// A text.
  func text(_ key: String, _ absent: String) throws -> String {
    try texts(key)?.first ?? absent
  }

  // MARK: Results

  /// Sets a result.
  mutating func set(_ operand: MILOperand, output index: Int = 0) {
    if results.indices.contains(index) { results[index] = operand }
  }

  /// Sets a result.
  mutating func set(_ value: FileValue, output index: Int = 0) {
    set(.value(value), output: index)
  }

  /// Sets the result to that of a node of ONNX on operand `x`.
  mutating func map(_ type: String, _ attributes: [String: NodeAttribute] = [:]) throws {
    set(try node(type, [try value()], attributes))
  }
}
