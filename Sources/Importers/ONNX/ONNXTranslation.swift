import Forge

/// A layer or an operation of another format, which is translated to nodes of ONNX.
///
/// So arithmetic, layouts and the folding of known values are those of the ONNX importer.
protocol ONNXTranslation {
  /// The name of the layers that it makes.
  var name: String { get }
  /// The names of the model's outputs, which no layer takes.
  var modelOutputs: Set<String> { get }
  /// Whether all values are numbers of floating point, also places and Booleans.
  var isOfNumbers: Bool { get }
  /// The parameters of layers by layer name and type.
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] { get set }
  /// The number of nodes so far.
  var nodeCount: Int { get set }
}

extension ONNXTranslation {
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
    let nodeName = nodeCount == 1 ? name : "\(name)/\(nodeCount)"
    let names = [nodeName] + (1..<max(outputs, 1)).map { "\(nodeName):\($0)" }
    let node = FileNode(type, outputs: names, attributes: attributes)
    var call = ONNXCall(
      node, opset: 24, inputs: inputs, graphOutputs: modelOutputs)
    try operation(&call)
    parameters.merge(call.parameters) { first, _ in first }
    return try call.outputs.map { value in
      guard let value else { throw NodeFailure.unsupported("a result that is left out") }
      guard isOfNumbers else { return value }
      guard !value.sizes.contains(0) else { throw NodeFailure.invalid("an empty result") }
      return try value.asNumbers()
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
      "Slice", [value, nil, nil, nil, .integers(axes.map { _ in -1 })],
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
      "Slice", [input, nil, nil, nil, .integers(steps)],
      ["starts": .ints(starts), "ends": .ints(ends)])
    let gone = sizes.indices.filter { squeezed[$0] }
    guard !gone.isEmpty else { return result }
    return try node("Squeeze", [result], ["axes": .ints(gone)])
  }
}

extension FileValue {
  /// A constant number.
  static func number(_ value: Float) -> FileValue {
    .host(HostTensor(floats: [value], sizes: []))
  }

  /// Constant integers.
  static func integers(_ values: [Int]) -> FileValue {
    .host(HostTensor(integers: values.map { Int64($0) }, sizes: [values.count]))
  }

  /// The value with integers and Booleans as numbers.
  func asNumbers() throws -> FileValue {
    guard type.isInteger else { return self }
    switch self {
    case .host(let tensor): return .host(try tensor.cast(to: .float32))
    case .network(var tensor):
      tensor.type = .float32
      return .network(tensor)
    case .length: return self
    }
  }
}

extension NodeAttribute {
  /// Paddings as ONNX states them, before all axes and then after them, of those axis by axis.
  static func beforeThenAfter(_ pads: [Int]) -> [Int] {
    let before = stride(from: 0, to: pads.count, by: 2).map { pads[$0] }
    return before + stride(from: 1, to: pads.count, by: 2).map { pads[$0] }
  }
}
