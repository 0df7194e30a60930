import Forge

/// Imports the nodes of ONNX to which an operation of another format is translated.
///
/// So arithmetic, layouts and the folding of known values are those of the ONNX importer.
struct ONNXTranslation {
  /// The name of the operation's layers.
  let name: String
  /// The names of the model's outputs, which no layer takes.
  private let modelOutputs: Set<String>
  /// The parameters of layers by layer name and type.
  private(set) var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  private var nodeCount = 0

  /// The operator set whose nodes are made.
  private static let opset = 24

  /// Begins the translation of an operation.
  ///
  /// - Parameters:
  ///   - name: the name of the operation's layers.
  ///   - modelOutputs: the names of the model's outputs.
  init(name: String, modelOutputs: Set<String> = []) {
    self.name = name
    self.modelOutputs = modelOutputs
  }

  /// The results of a node.
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
    var call = ONNXCall(node, opset: Self.opset, inputs: inputs, graphOutputs: modelOutputs)
    try operation(&call)
    parameters.merge(call.parameters) { first, _ in first }
    return try call.outputs.map { value in
      guard let value else { throw NodeFailure.unsupported("a result that is left out") }
      return value
    }
  }

  /// The only result of a node; see ``nodes(_:_:_:outputs:operation:)``.
  mutating func node(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    operation: ONNXOperators.Operation = ONNXOperators.run
  ) throws -> FileValue {
    try nodes(type, inputs, attributes, operation: operation)[0]
  }

  /// The product of the last axis with a stored matrix, as a dense layer.
  ///
  /// - Parameters:
  ///   - input: the tensor.
  ///   - weights: the matrix [inputs, outputs], or [outputs, inputs] if it is transposed.
  ///   - isTransposed: whether it is.
  ///   - bias: one number per output.
  /// - Returns: the product.
  /// - Throws: ``NodeFailure``.
  mutating func dense(
    _ input: FileValue, _ weights: HostTensor, isTransposed: Bool, bias: HostTensor?
  ) throws -> FileValue {
    try node("Gemm", [input]) { node in
      try ONNXOperators.dense(
        &node, try node.network(0), weights, isTransposed: isTransposed, bias: bias)
    }
  }

  // MARK: Operations of several formats

  /// A value with the elements along axes in the opposite order.
  mutating func reversed(_ value: FileValue, axes: [Int]) throws -> FileValue {
    try node(
      "Slice", [value, nil, nil, nil, Self.integers(axes.map { _ in -1 })],
      [
        "axes": .ints(axes), "starts": .ints(axes.map { _ in -1 }),
        "ends": .ints(axes.map { _ in Int.min }),
      ])
  }

  /// Tensors of equal sizes along a new axis.
  mutating func stack(_ values: [FileValue], axis: Int) throws -> FileValue {
    let wide = try values.map { try node("Unsqueeze", [$0], ["axes": .ints([axis])]) }
    return try node("Concat", wide, ["axis": .int(axis)])
  }

  /// A slice of all axes, as in Python; a list that is empty changes nothing.
  ///
  /// - Parameters:
  ///   - input: the tensor.
  ///   - starts: the first index of each axis.
  ///   - ends: the index behind the last one.
  ///   - steps: the distances of indices; 1 where an axis is squeezed.
  ///   - startMasks: whether a start is left out.
  ///   - endMasks: whether an end is left out.
  ///   - squeezed: the axes of which only the start is kept, without the axis.
  /// - Returns: the slice.
  /// - Throws: ``NodeFailure``.
  mutating func slice(
    _ input: FileValue, starts: [Int], ends: [Int], steps: [Int], startMasks: [Bool],
    endMasks: [Bool], squeezed: [Bool]
  ) throws -> FileValue {
    let sizes = input.sizes
    func list<Element>(_ values: [Element], _ absent: Element) throws -> [Element] {
      guard values.isEmpty || values.count == sizes.count else {
        throw NodeFailure.invalid("\(values.count) numbers of a slice of \(sizes)")
      }
      return values.isEmpty ? sizes.map { _ in absent } : values
    }
    var (starts, ends) = (try list(starts, 0), try list(ends, .max))
    var steps = try list(steps, 1)
    let (startMasks, endMasks) = (try list(startMasks, false), try list(endMasks, false))
    let squeezed = try list(squeezed, false)
    for axis in sizes.indices {
      if squeezed[axis] {
        steps[axis] = 1
        if startMasks[axis] { starts[axis] = 0 }
        ends[axis] = starts[axis] == -1 ? .max : starts[axis].addingSaturated(1)
        _ = try ONNXCall.place(starts[axis], of: sizes[axis])
        continue
      }
      if startMasks[axis] { starts[axis] = steps[axis] < 0 ? .max : 0 }
      if endMasks[axis] { ends[axis] = steps[axis] < 0 ? .min : .max }
    }
    let result = try node(
      "Slice", [input, nil, nil, nil, Self.integers(steps)],
      ["starts": .ints(starts), "ends": .ints(ends)])
    let gone = sizes.indices.filter { squeezed[$0] }
    guard !gone.isEmpty else { return result }
    return try node("Squeeze", [result], ["axes": .ints(gone)])
  }

  /// Paddings as ONNX states them, before all axes and then after them, of those axis by axis.
  static func beforeThenAfter(_ pads: [Int]) -> [Int] {
    let before = stride(from: 0, to: pads.count, by: 2).map { pads[$0] }
    return before + stride(from: 1, to: pads.count, by: 2).map { pads[$0] }
  }

  /// A constant number.
  static func number(_ value: Float) -> FileValue {
    .host(HostTensor(floats: [value], sizes: []))
  }

  /// Constant integers.
  static func integers(_ values: [Int]) -> FileValue {
    .host(HostTensor(integers: values.map { Int64($0) }, sizes: [values.count]))
  }
}
