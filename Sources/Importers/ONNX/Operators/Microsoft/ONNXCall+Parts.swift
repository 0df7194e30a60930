import Forge

extension ONNXCall {
  /// The results of an operator of ONNX that does a part of this node's work.
  ///
  /// - Parameters:
  ///   - type: the operator.
  ///   - inputs: its inputs; `nil` for one that is left out.
  ///   - attributes: its attributes by name.
  ///   - count: the number of its outputs.
  ///   - name: the name of its first output, after which layers with parameters are named; one made
  ///     of the node's name and the operator's if it is `nil`.
  /// - Returns: as many values as outputs.
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  mutating func parts(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    outputs count: Int, name: String? = nil
  ) throws -> [FileValue] {
    let partName = name ?? "\(layerName)/\(type)"
    let names = [partName] + (1..<max(count, 1)).map { "\(partName):\($0)" }
    var part = ONNXCall(
      FileNode(type, outputs: names, attributes: attributes), opset: Self.partOpset,
      inputs: inputs, graphOutputs: graphOutputs)
    try ONNXOperators.run(&part)
    parameters.merge(part.parameters) { first, _ in first }
    return try part.outputs.map { value in
      guard let value else { throw NodeFailure.unsupported("a result of \(type)") }
      return value
    }
  }

  /// The only result of an operator that does a part of the work; see
  /// ``parts(_:_:_:outputs:name:)``.
  mutating func part(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    name: String? = nil
  ) throws -> FileValue {
    try parts(type, inputs, attributes, outputs: 1, name: name)[0]
  }

  /// The result of an operator of ONNX that has the same attributes as this node.
  mutating func result(as type: String, _ inputs: [FileValue?]) throws -> FileValue {
    var same = self
    same.inputs = inputs
    same.outputs = [nil]
    guard let found = ONNXOperators.find(type) else {
      throw NodeFailure.unsupported("ONNX's \(type)")
    }
    try found.import(&same)
    parameters.merge(same.parameters) { first, _ in first }
    guard let value = same.outputs[0] else {
      throw NodeFailure.unsupported("a result of \(type)")
    }
    return value
  }

  /// The name of the node's first output.
  var outputName: String { node.outputs.first { !$0.isEmpty } ?? node.name }

  /// The operator set whose operators do parts of the work.
  private static let partOpset = 24

  /// An input that may be left out.
  func optional(_ index: Int) -> FileValue? {
    inputs.indices.contains(index) ? inputs[index] : nil
  }

  /// Refuses inputs that are given, by name.
  func refuse(_ names: [Int: String]) throws {
    for (index, name) in names.sorted(by: { $0.key < $1.key }) where has(index) {
      throw NodeFailure.unsupported("an input \(name)")
    }
  }

  /// Refuses attributes that are not 0, by name.
  func refuse(_ attributes: String...) throws {
    for name in attributes where node.int(name) != 0 {
      throw NodeFailure.unsupported("\(name) \(node.int(name))")
    }
  }
}

extension FileValue {
  /// A known integer.
  static func integer(_ value: Int) -> FileValue {
    .host(HostTensor(integers: [Int64(value)], sizes: []))
  }

  /// The value with other sizes, for every length of a sequence.
  ///
  /// - Throws: ``NodeFailure``.
  func reshaped(to sizes: [LengthSize]) throws -> FileValue {
    if case .network(let tensor) = self { return .network(try tensor.reshaped(to: sizes)) }
    let numbers = sizes.compactMap(\.constant)
    guard numbers.count == sizes.count else { throw Self.followsLength }
    return try reshaped(to: numbers)
  }
}
