import Forge
import ForgeMessages
import Foundation

/// One operation of an ML Program with its operands, and the place for its results.
///
/// Operations are translated to operators of ONNX, which the ONNX importer's operations import.
struct MILCall {
  /// The operation.
  let operation: MILOperation
  /// The names of the program's outputs.
  let programOutputs: Set<String>
  /// What stands before the names of layers, in a pipeline.
  private let prefix: String
  private let operands: [String: [MILOperand]]
  /// The results, as many as the operation has outputs.
  private(set) var results: [MILOperand?]
  /// The parameters of layers by layer name and type.
  private(set) var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  private var nodeCount = 0

  init(
    _ operation: MILOperation, operands: [String: [MILOperand]], programOutputs: Set<String>,
    prefix: String, path: String
  ) {
    self.operation = operation
    self.prefix = prefix
    self.operands = operands
    self.programOutputs = programOutputs
    results = Array(repeating: nil, count: operation.outputs.count)
  }

  /// The name of the operation's layers: that of its first output.
  private var name: String { prefix + (operation.outputs.first?.name ?? "") }

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

  /// A truth value that must be known.
  func bool(_ key: String, _ absent: Bool) throws -> Bool {
    try ints(key)?.first.map { $0 != 0 } ?? absent
  }

  /// Texts; `nil` if they are left out.
  func texts(_ key: String) throws -> [String]? {
    guard let operand = try operand(key) else { return nil }
    guard case .texts(let texts) = operand else {
      throw NodeFailure.invalid("\(key) is no text")
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

  // MARK: Nodes and results

  /// The results of a node of ONNX.
  ///
  /// - Parameters:
  ///   - type: the operator.
  ///   - inputs: its inputs; `nil` for one that is left out.
  ///   - attributes: its attributes by name.
  ///   - outputs: the number of its outputs.
  ///   - operation: what imports it; by default ONNX's operation.
  /// - Returns: as many values as outputs.
  /// - Throws: ``NodeFailure``.
  mutating func nodes(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    outputs: Int = 1, operation: ONNXOperators.Operation = ONNXOperators.run
  ) throws -> [FileValue] {
    nodeCount += 1
    // Layers with parameters need a name; one node in most operations has that of the operation.
    let own = nodeCount == 1 ? name : "\(name)/\(nodeCount)"
    let names = [own] + (1..<max(outputs, 1)).map { "\(own):\($0)" }
    let node = FileNode(type, outputs: names, attributes: attributes)
    var call = ONNXCall(
      node, opset: Self.opset, inputs: inputs, graphOutputs: programOutputs)
    try operation(&call)
    parameters.merge(call.parameters) { first, _ in first }
    return try call.outputs.map { value in
      guard let value else { throw NodeFailure.unsupported("a result that is left out") }
      return value
    }
  }

  /// The operator set whose nodes are made.
  private static let opset = 24

  /// The only result of a node of ONNX; see ``nodes(_:_:_:outputs:operation:)``.
  mutating func node(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    operation: ONNXOperators.Operation = ONNXOperators.run
  ) throws -> FileValue {
    try nodes(type, inputs, attributes, operation: operation)[0]
  }

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

  /// A value with the elements along axes in the opposite order.
  mutating func reversed(_ value: FileValue, axes: [Int]) throws -> FileValue {
    try node(
      "Slice", [value, nil, nil, nil, Self.integers(axes.map { _ in -1 })],
      [
        "axes": .ints(axes), "starts": .ints(axes.map { _ in -1 }),
        "ends": .ints(axes.map { _ in Int.min }),
      ])
  }

  /// A constant number.
  static func number(_ value: Float) -> FileValue {
    .host(HostTensor(floats: [value], sizes: []))
  }

  /// Returns paddings as ONNX states them, before all axes and then after them.
  ///
  /// MIL states them axis by axis.
  static func beforeThenAfter(_ pads: [Int]) -> [Int] {
    let before = stride(from: 0, to: pads.count, by: 2).map { pads[$0] }
    return before + stride(from: 1, to: pads.count, by: 2).map { pads[$0] }
  }

  /// Constant integers.
  static func integers(_ values: [Int]) -> FileValue {
    .host(HostTensor(integers: values.map { Int64($0) }, sizes: [values.count]))
  }
}

extension NodeAttribute {
  /// An attribute that is a text.
  static func text(_ value: String) -> NodeAttribute { .string(value) }

  /// An attribute that is a list of texts.
  static func texts(_ values: [String]) -> NodeAttribute { .strings(values) }
}
