import ForgeOperations
import ForgeShapes

/// Computes with 8-bit integers where a network quantizes what goes in and what comes out.
///
/// An operation on dequantized values whose result is quantized becomes one operation on integers.
/// A product does so even if its result stays real. What has no form on integers is computed with
/// real numbers between its inverse quantization and its quantization.
enum RunQuantized: Rewrite {
  static let name = "runQuantized"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    let islands = QuantizedIslands(graph, constants)
    var made: [Int: OperationGraph.Node] = [:]
    for position in graph.nodes.indices {
      guard let (end, node) = try islands.node(from: position) else { continue }
      made[end] = node
    }
    guard !made.isEmpty else { return 0 }
    for (position, node) in made { graph.nodes[position] = node }
    graph.removeUnusedNodes()
    return made.count
  }
}

/// Finds operations between an inverse quantization and a quantization.
private struct QuantizedIslands {
  typealias Node = OperationGraph.Node
  typealias Value = OperationGraph.Value

  /// Integers and what they stand for.
  private struct Integers {
    let value: Value
    let quantization: Quantization
  }

  /// Where the real numbers of an operation become integers.
  private struct End {
    /// The position of the quantization.
    let position: Int
    let output: Quantization
    /// The integers that an activation before it leaves.
    let bounds: ClosedRange<Int>
    /// The layers of the activation and the quantization.
    let layers: [Int]
  }

  private let graph: OperationGraph
  private let index: GraphIndex
  private let constants: any ConstantSource
  /// A node that reads a value, by the index of the value.
  private let readers: [Int: Int]
  private let storages: [Int: Quantization.Storage]
  /// What stands for 0 where integers become real numbers, by the index of the value.
  private let zeroPoints: [Int: Set<Int>]

  init(_ graph: OperationGraph, _ constants: any ConstantSource) {
    (self.graph, self.constants) = (graph, constants)
    index = GraphIndex(graph)
    storages = graph.storages
    readers = graph.readers
    var zeroPoints: [Int: Set<Int>] = [:]
    for node in graph.nodes {
      guard case .dequantize(let quantization) = node.primitive else { continue }
      zeroPoints[node.inputs[0].index, default: []].insert(quantization.zeroPoint)
    }
    self.zeroPoints = zeroPoints
  }

  /// The operation on integers that begins with the node at a position, and the position of the
  /// node that it takes the place of; `nil` if there is none.
  func node(from position: Int) throws -> (position: Int, node: Node)? {
    let node = graph.nodes[position]
    guard node.residual == nil, node.activation == .linear else { return nil }
    guard let first = integers(of: node.inputs[0]) else { return maximum(position) }
    let end = end(behind: node.output)
    switch node.primitive {
    case .convolution(let geometry, let outputs, let groups):
      let form = QuantizedProduct.Form.convolution(geometry, outputs: outputs, groups: groups)
      // An image has one border.
      guard groups == 1, zeroPoints[first.value.index]?.count == 1 else { return nil }
      return try product(form, position, first, end)
    case .depthwiseConvolution(let geometry, multiplier: 1):
      guard end != nil else { return nil }
      return try product(.depthwise(geometry, multiplier: 1), position, first, end)
    case .dense(let outputs): return try product(.dense(outputs: outputs), position, first, end)
    case .binary(.add): return pair(.add, position, first, end)
    case .binary(.multiply): return pair(.multiply, position, first, end)
    case .pooling(let kind, let geometry): return pooling(kind, geometry, position, first, end)
    case .globalPooling(let kind): return pooling(kind, nil, position, first, end)
    case .concatenate(let axis): return concatenation(axis, position, end)
    default: return try lookup(position, first)
    }
  }

  /// The integers that a value stands for.
  private func integers(of value: Value) -> Integers? {
    guard let producer = index.producer[value.index],
      case .dequantize(let quantization) = graph.nodes[producer].primitive,
      graph.nodes[producer].activation == .linear
    else { return nil }
    return Integers(value: graph.nodes[producer].inputs[0], quantization: quantization)
  }

  /// The quantization that alone reads a value, behind a function that only narrows the range.
  private func end(behind value: Value) -> End? {
    var (value, least, greatest) = (value, -Double.infinity, Double.infinity)
    var layers: [Int] = []
    while index.uses[value.index] == 1, let reader = readers[value.index] {
      let node = graph.nodes[reader]
      switch node.primitive {
      case .quantize(let output):
        let range = output.storage.range
        // A bound at or beyond the end of the range does not narrow it.
        let low = least.isFinite ? output.integer(least) : range.lowerBound
        let high = greatest.isFinite ? output.integer(greatest) : range.upperBound
        guard low <= high else { return nil }
        return End(
          position: reader, output: output, bounds: low...high, layers: layers + node.layers)
      case .activation(.relu): least = max(least, 0)
      case .activation(.relu6): (least, greatest) = (max(least, 0), min(greatest, 6))
      case .activation(.clipped(let minimum, let maximum)) where minimum <= maximum:
        // The later clip decides where both do not overlap.
        least = min(max(least, Double(minimum)), Double(maximum))
        greatest = max(min(greatest, Double(maximum)), Double(minimum))
      default: return nil
      }
      layers += node.layers
      value = node.output
    }
    return nil
  }

  /// A node with other arithmetic in the place of the end of an island.
  private func node(
    _ primitive: Primitive, _ inputs: [Value], from position: Int, to end: End?
  ) -> (Int, Node) {
    let last = end?.position ?? position
    var node = graph.nodes[last]
    node.primitive = primitive
    node.inputs = inputs
    node.layers = graph.nodes[position].layers + (end?.layers ?? [])
    return (last, node)
  }

  // MARK: Operations

  private func product(
    _ form: QuantizedProduct.Form, _ position: Int, _ input: Integers, _ end: End?
  ) throws -> (Int, Node)? {
    let node = graph.nodes[position]
    guard let scales = graph.weightScales[node.inputs[1].index],
      let outputs = graph.shape(of: node.output).channels,
      scales.count == 1 || scales.count == outputs, scales.allSatisfy({ $0.isNormal && $0 > 0 })
    else { return nil }
    let weightScales = scales.count == 1 ? Array(repeating: scales[0], count: outputs) : scales
    guard
      let weights = try graph.integers(
        ofWeights: node.inputs[1], scales: weightScales, constants)
    else { return nil }
    if case .depthwise = form, weights.zeros != nil { return nil }
    func product(to end: End?) -> QuantizedProduct {
      QuantizedProduct(
        form: form, input: input.quantization, weightScales: weightScales,
        hasWeightZeros: weights.zeros != nil, output: end?.output,
        bounds: end?.bounds ?? input.quantization.storage.range)
    }
    var (made, end) = (product(to: end), end)
    if node.inputs.count > 2, end != nil {
      guard let biases = graph.constant(node.inputs[2]) else { return nil }
      if made.integers(ofBiases: try constants.values(of: biases)) == nil {
        // Such biases are added to real numbers.
        if case .depthwise = form { return nil }
        (made, end) = (product(to: nil), nil)
      }
    }
    guard made.multipliers.allSatisfy(\.isFinite) else { return nil }
    return self.node(
      .quantizedProduct(made), [input.value] + node.inputs.dropFirst(), from: position, to: end)
  }

  private func pair(
    _ function: QuantizedPair.Function, _ position: Int, _ first: Integers, _ end: End?
  ) -> (Int, Node)? {
    let node = graph.nodes[position]
    guard let end, node.inputs.count == 2, let second = integers(of: node.inputs[1]),
      graph.shape(of: first.value).rank <= 3, graph.shape(of: second.value).rank <= 3,
      graph.shape(of: first.value).sizes?.last == graph.shape(of: second.value).sizes?.last
    else { return nil }
    let pair = QuantizedPair(
      function: function, first: first.quantization, second: second.quantization,
      output: end.output, bounds: end.bounds)
    guard pair.factors.0.isFinite, pair.factors.1.isFinite else { return nil }
    return self.node(
      .quantizedPair(pair), [first.value, second.value], from: position, to: end)
  }

  private func pooling(
    _ kind: PoolingKind, _ geometry: ConvolutionGeometry?, _ position: Int, _ input: Integers,
    _ end: End?
  ) -> (Int, Node)? {
    guard let end, end.bounds == end.output.storage.range else { return nil }
    // The greatest integer is that of the greatest real number.
    if kind == .maximum, end.output != input.quantization { return nil }
    let pooling = QuantizedPooling(
      kind: kind, geometry: geometry, input: input.quantization, output: end.output)
    guard pooling.factor.isFinite else { return nil }
    return node(.quantizedPooling(pooling), [input.value], from: position, to: end)
  }

  /// Channels joined, each operand with the quantization of the result.
  private func concatenation(_ axis: Int, _ position: Int, _ end: End?) -> (Int, Node)? {
    let node = graph.nodes[position]
    let rank = graph.shape(of: node.output).rank
    let operands = node.inputs.compactMap(integers(of:))
    guard let end, (1...3).contains(rank), axis == rank - 1, operands.count == node.inputs.count
    else { return nil }
    let tables = operands.map { operand in
      ByteTable(from: operand.quantization.storage, to: end.output.storage) { integer in
        let number = Double(operand.quantization.real(Double(integer)))
        let result = end.output.integer(number)
        return min(max(result, end.bounds.lowerBound), end.bounds.upperBound)
      }
    }
    return self.node(
      .quantizedConcatenation(tables), operands.map(\.value), from: position, to: end)
  }

  /// The maximum of integers that stand for themselves.
  private func maximum(_ position: Int) -> (Int, Node)? {
    let node = graph.nodes[position]
    guard let storage = storages[node.inputs[0].index] else { return nil }
    let geometry: ConvolutionGeometry?
    switch node.primitive {
    case .pooling(.maximum, let window): geometry = window
    case .globalPooling(.maximum): geometry = nil
    default: return nil
    }
    let pooling = QuantizedPooling(
      kind: .maximum, geometry: geometry, input: .unscaled(storage), output: .unscaled(storage))
    return self.node(.quantizedPooling(pooling), node.inputs, from: position, to: nil)
  }

  /// A function of each element, or only another quantization, as a table.
  private func lookup(_ position: Int, _ input: Integers) throws -> (Int, Node)? {
    var functions: [Node] = []
    var node = graph.nodes[position]
    var last = position
    while true {
      switch node.primitive {
      case .activation, .unary: functions.append(node)
      case .quantize(let output):
        guard node.residual == nil else { return nil }
        let table = try ByteTable(from: input.quantization.storage, to: output.storage) { integer in
          var tensor = try ReferenceTensor(
            sizes: [1], floats: [input.quantization.real(Double(integer))])
          for function in functions {
            tensor = try function.primitive.reference(on: [tensor])
            tensor = try ReferenceTensor(sizes: [1], floats: tensor.floats)
          }
          return output.integer(tensor.values[0])
        }
        var made = node
        made.primitive = .lookup(table)
        made.inputs = [input.value]
        made.layers = functions.flatMap(\.layers) + node.layers
        return (last, made)
      default: return nil
      }
      guard node.activation == .linear, node.residual == nil, index.uses[node.output.index] == 1,
        let reader = readers[node.output.index]
      else { return nil }
      (last, node) = (reader, graph.nodes[reader])
    }
  }
}

extension OperationGraph {
  /// The integers of weights whose scales are known; `nil` if they are not such, or if sums of
  /// products with numbers of 8 bits and a bias could leave 32 bits.
  func integers(
    ofWeights value: Value, scales: [Float], _ constants: any ConstantSource
  ) throws -> QuantizedWeights? {
    guard let recipe = constant(value) else { return nil }
    let weights = try constants.floats(of: recipe)
    guard let integers = QuantizedWeights(UnsafeBufferPointer(weights.floats), scales: scales),
      integers.integers.count / max(scales.count, 1) <= (1 << 30) / (255 * integers.magnitude)
    else { return nil }
    return integers
  }
}
