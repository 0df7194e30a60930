import ForgeOperations
import ForgeShapes

/// Computes with 8-bit integers where each prediction finds the range of what goes in.
///
/// `(product(integers − zero, weights) + biases) · (scale · factors) + offsets` becomes one
/// operation, where the integers, their zero point and their scale are those of one dynamic range,
/// and the weights and biases are whole numbers. So does
/// `product((integers − zero) · scale, weights) + offsets` if the weights are integers times known
/// scales. Rearrangements may stand between the parts before the product, and reshapes behind it;
/// biases and offsets may be absent.
enum RunDynamicProducts: Rewrite {
  static let name = "runDynamicProducts"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    guard graph.nodes.contains(where: \.isDynamicQuantization) else { return 0 }
    graph.readSizesOfPartsFromGates()
    let pattern = DynamicProductPattern(graph, constants)
    var builder = DynamicProductBuilder(graph: graph)
    for position in graph.nodes.indices {
      if let match = try pattern.match(at: position) { try builder.build(match) }
    }
    graph = builder.graph
    _ = graph.replacePatterns(builder.made)
    return builder.count
  }
}

extension OperationGraph {
  /// Lets the parts of recurrent cells read their sizes from what the cells read, so that the
  /// sequence itself is not computed as real numbers for them.
  fileprivate mutating func readSizesOfPartsFromGates() {
    let index = GraphIndex(self)
    for position in nodes.indices {
      guard case .recurrentPart = nodes[position].primitive,
        let producer = index.producer[nodes[position].inputs[0].index],
        case .recurrent = nodes[producer].primitive
      else { continue }
      nodes[position].inputs[1] = nodes[producer].inputs[0]
    }
  }
}

extension OperationGraph.Node {
  fileprivate var isDynamicQuantization: Bool {
    if case .dynamicQuantize = primitive { true } else { false }
  }

  /// Whether nothing is added to the result or applied to it.
  fileprivate var isBare: Bool { activation == .linear && residual == nil }
}

/// Numbers that a range quantized, as a product reads them.
private struct DynamicOperand {
  /// The position of the quantization.
  let quantization: Int
  /// The rearrangements between the quantization and the product, in order.
  let moves: [Primitive]
  /// Whether the numbers are multiplied by the scale.
  let isScaled: Bool
}

/// A product of integers that has been found.
private struct DynamicProductMatch {
  let product: DynamicProduct
  let operand: DynamicOperand
  /// The position of the product, and that of the last node of the pattern.
  let position, end: Int
}

/// Finds products of integers less their zero point that are scaled by the range.
private struct DynamicProductPattern {
  typealias Node = OperationGraph.Node
  typealias Value = OperationGraph.Value

  private let graph: OperationGraph
  private let index: GraphIndex
  private let constants: any ConstantSource
  /// A node that reads a value, by the index of the value.
  private let readers: [Int: Int]

  init(_ graph: OperationGraph, _ constants: any ConstantSource) {
    (self.graph, self.constants) = (graph, constants)
    index = GraphIndex(graph)
    readers = graph.readers
  }

  /// The product at a position and what follows it.
  func match(at position: Int) throws -> DynamicProductMatch? {
    let node = graph.nodes[position]
    guard node.isBare, let form = form(node), let operand = operand(before: node.inputs[0]),
      let outputs = graph.shape(of: node.output).channels,
      let hint = graph.weightScales[node.inputs[1].index],
      hint.count == 1 || hint.count == outputs, hint.allSatisfy({ $0.isNormal && $0 > 0 })
    else { return nil }
    let scales = hint.count == 1 ? Array(repeating: hint[0], count: outputs) : hint
    guard
      let weights = try graph.integers(ofWeights: node.inputs[1], scales: scales, constants)
    else { return nil }
    var (end, factors, biases): (Int, [Float], [Int32]?) = (position, scales, nil)
    if !operand.isScaled {
      guard node.inputs.count == 2, scales.allSatisfy({ $0 == 1 }) else { return nil }
      if let bias = try bias(behind: node.output, outputs: outputs) {
        (end, biases) = (bias.position, bias.integers)
      }
      guard let scaling = reader(behind: graph.nodes[end].output, .multiply),
        let found = try self.factors(
          scaling.other, range: graph.nodes[operand.quantization].inputs[1], outputs: outputs)
      else { return nil }
      (end, factors) = (scaling.position, found)
    }
    var offsets: [Float]?
    if node.inputs.count > 2 {
      guard let recipe = graph.constant(node.inputs[2]) else { return nil }
      offsets = try constants.values(of: recipe)
    } else if let sum = try addition(behind: graph.nodes[end].output, outputs: outputs) {
      (end, offsets) = (sum.position, sum.numbers)
    }
    return DynamicProductMatch(
      product: DynamicProduct(
        form: form, weightScales: scales, hasWeightZeros: weights.zeros != nil, biases: biases,
        factors: factors, offsets: offsets),
      operand: operand, position: position, end: end)
  }

  private func form(_ node: Node) -> QuantizedProduct.Form? {
    switch node.primitive {
    case .convolution(let geometry, let outputs, groups: 1):
      .convolution(geometry, outputs: outputs, groups: 1)
    case .dense(let outputs): .dense(outputs: outputs)
    default: nil
    }
  }

  /// The integers less their zero point, optionally times their scale, that a value is.
  private func operand(before value: Value) -> DynamicOperand? {
    var (value, moves): (Value, [Primitive]) = (value, [])
    // The ranges whose scale and zero point have been found.
    var (scale, zero): (Value?, Value?)
    while let position = index.producer[value.index], graph.nodes[position].isBare {
      let node = graph.nodes[position]
      switch node.primitive {
      case .reshape, .permute:
        moves.insert(node.primitive, at: 0)
        value = node.inputs[0]
      case .binary(.multiply) where scale == nil && zero == nil:
        guard let (other, part) = combined(node), part.index == 0 else { return nil }
        (value, scale) = (other, part.vector)
      case .binary(.subtract) where zero == nil:
        guard let (other, part) = combined(node), part.index == 1, other == node.inputs[0]
        else { return nil }
        (value, zero) = (other, part.vector)
      case .dynamicQuantize:
        guard zero == node.inputs[1], scale == nil || scale == zero else { return nil }
        return DynamicOperand(quantization: position, moves: moves, isScaled: scale != nil)
      default: return nil
      }
    }
    return nil
  }

  /// The operand of an operation on two values whose other one is a part of a vector.
  private func combined(_ node: Node) -> (Value, part: (vector: Value, index: Int))? {
    guard node.inputs.count == 2 else { return nil }
    for (operand, other) in [(0, 1), (1, 0)] {
      if let part = part(of: node.inputs[other]),
        graph.shape(of: node.inputs[operand]) == graph.shape(of: node.output)
      {
        return (node.inputs[operand], part)
      }
    }
    return nil
  }

  /// The whole numbers that are added to sums, and the position of the addition.
  private func bias(
    behind value: Value, outputs: Int
  ) throws -> (integers: [Int32], position: Int)? {
    guard let sum = try addition(behind: value, outputs: outputs) else { return nil }
    let integers = sum.numbers.compactMap { Int32(exactly: $0) }
    guard integers.count == outputs, integers.allSatisfy({ $0.magnitude < 1 << 30 }) else {
      return nil
    }
    return (integers, sum.position)
  }

  /// The factors of the outputs beside the scale of a range; `nil` if a value is not their product.
  private func factors(_ value: Value, range: Value, outputs: Int) throws -> [Float]? {
    func isScale(_ value: Value) -> Bool { part(of: value).map { $0 == (range, 0) } ?? false }
    if isScale(value) { return Array(repeating: 1, count: outputs) }
    guard let product = producer(of: value), case .binary(.multiply) = product.primitive,
      product.inputs.count == 2
    else { return nil }
    for (scale, other) in [(0, 1), (1, 0)] where isScale(product.inputs[scale]) {
      return try numbers(product.inputs[other], outputs: outputs)
    }
    return nil
  }

  /// A number for each output; `nil` unless a value is a constant of one number, or of one for each
  /// entry of the last axis.
  private func numbers(_ value: Value, outputs: Int) throws -> [Float]? {
    let shape = graph.shape(of: value)
    guard let count = shape.elementCount, count == 1 || count == outputs,
      shape.sizes?.last == count, let recipe = graph.constant(value)
    else { return nil }
    let values = try constants.values(of: recipe)
    return count == 1 ? Array(repeating: values[0], count: outputs) : values
  }

  /// The vector that a value is an element of, and the index of the element.
  private func part(of value: Value) -> (vector: Value, index: Int)? {
    guard let node = producer(of: value), graph.shape(of: node.output).elementCount == 1 else {
      return nil
    }
    switch node.primitive {
    case .slice(let starts, _, _) where starts.count == 1: return (node.inputs[0], starts[0])
    default: return nil
    }
  }

  /// The node that makes a value, reshapes left out.
  private func producer(of value: Value) -> Node? {
    var value = value
    while let position = index.producer[value.index] {
      let node = graph.nodes[position]
      guard node.isBare else { return nil }
      guard case .reshape = node.primitive else { return node }
      value = node.inputs[0]
    }
    return nil
  }

  /// The addition of known numbers that alone reads a value, and its position.
  private func addition(
    behind value: Value, outputs: Int
  ) throws -> (position: Int, numbers: [Float])? {
    if let sum = reader(behind: value, .add) {
      return try numbers(sum.other, outputs: outputs).map { (sum.position, $0) }
    }
    guard let position = soleReader(behind: value)?.position,
      case .affine = graph.nodes[position].primitive, graph.nodes[position].isBare,
      try numbers(graph.nodes[position].inputs[1], outputs: outputs)?.allSatisfy({ $0 == 1 })
        ?? false
    else { return nil }
    return try numbers(graph.nodes[position].inputs[2], outputs: outputs).map { (position, $0) }
  }

  /// The operation on two values of one shape that alone reads a value, its position and its other
  /// operand.
  private func reader(
    behind value: Value, _ operation: BinaryOperator
  ) -> (position: Int, other: Value)? {
    guard let (position, value) = soleReader(behind: value) else { return nil }
    let node = graph.nodes[position]
    guard case .binary(operation) = node.primitive, node.isBare, node.inputs.count == 2,
      graph.shape(of: node.output) == graph.shape(of: value)
    else { return nil }
    return (position, node.inputs[0] == value ? node.inputs[1] : node.inputs[0])
  }

  /// The position of the node that alone reads a value, reshapes left out, and what it reads; the
  /// last axis stays that of the value.
  private func soleReader(behind value: Value) -> (position: Int, value: Value)? {
    var value = value
    let channels = graph.shape(of: value).sizes?.last
    while index.uses[value.index] == 1, let position = readers[value.index] {
      let node = graph.nodes[position]
      guard case .reshape = node.primitive else { return (position, value) }
      guard node.isBare, graph.shape(of: node.output).sizes?.last == channels else { return nil }
      value = node.output
    }
    return nil
  }
}

/// Makes the nodes of products of integers.
private struct DynamicProductBuilder: PatternBuilder {
  var graph: OperationGraph
  var nodes: [OperationGraph.Node] = []
  private(set) var layers: [Int] = []
  /// The nodes in the place of those at some positions.
  private(set) var made: [Int: [OperationGraph.Node]] = [:]
  private(set) var count = 0
  /// The integers of a quantization in another arrangement, which several products read.
  private var rearranged: [String: Value] = [:]

  init(graph: OperationGraph) { self.graph = graph }

  mutating func build(_ match: DynamicProductMatch) throws {
    let (node, end) = (graph.nodes[match.position], graph.nodes[match.end])
    let quantization = graph.nodes[match.operand.quantization]
    let range = quantization.inputs[1]
    let shape = graph.shape(of: node.inputs[0])
    var product = match.product
    let integers: Value
    layers = node.layers
    nodes = []
    if case .convolution(let geometry, let outputs, let groups) = product.form,
      let edges = padding(geometry, shape), edges != .none
    {
      // The border stands for 0, whose integer is not known before the prediction.
      let padded = try add(.pad(edges), [try moved(quantization.inputs[0], match.operand, shape)])
      integers = try add(.dynamicQuantize, [padded, range])
      product = product.with(
        .convolution(geometry.withPadding(.valid), outputs: outputs, groups: groups))
    } else {
      integers = try self.integers(match.operand, shape)
    }
    layers += match.position == match.end ? [] : end.layers
    let result = try add(.dynamicProduct(product), [integers, node.inputs[1], range])
    try finish(result, nil, as: end.output)
    made[match.end] = nodes
    count += 1
  }

  private func padding(_ geometry: ConvolutionGeometry, _ shape: Shape) -> Edges? {
    guard let sizes = shape.sizes, sizes.count == 3 else { return nil }
    return geometry.edges(width: sizes[1], height: sizes[0])
  }

  /// The integers of an operand with a shape.
  private mutating func integers(
    _ operand: DynamicOperand, _ shape: Shape
  ) throws -> Value {
    let quantization = graph.nodes[operand.quantization]
    let numbers = quantization.inputs[0]
    guard operand.isPermuted || graph.shape(of: numbers).channels != shape.channels else {
      return try reshaped(quantization.output, shape)
    }
    // Real numbers are rearranged, once for all products that read them so.
    let key = "\(operand.quantization) \(operand.moves) \(shape)"
    if let value = rearranged[key] { return value }
    let kept = nodes
    let rows = operand.isPermuted ? nil : try reshapedForRange(of: quantization, shape)
    nodes = made[operand.quantization] ?? [quantization]
    let value = try add(
      .dynamicQuantize, [try rows ?? moved(numbers, operand, shape), quantization.inputs[1]])
    made[operand.quantization] = nodes
    nodes = kept
    rearranged[key] = value
    return value
  }

  /// Reshapes the real numbers of a quantization before their range is found.
  ///
  /// - Returns: the numbers; `nil` if the range reads another form of them already, or may cover a
  ///   part of them.
  private mutating func reshapedForRange(
    of quantization: OperationGraph.Node, _ shape: Shape
  ) throws -> Value? {
    guard !graph.hasVaryingLength,
      let position = graph.nodes.firstIndex(where: { $0.output == quantization.inputs[1] }),
      made[position] == nil, case .dynamicRange = graph.nodes[position].primitive,
      graph.nodes[position].inputs[0] == quantization.inputs[0]
    else { return nil }
    var range = graph.nodes[position]
    nodes = []
    let numbers = try reshaped(range.inputs[0], shape)
    range.inputs[0] = numbers
    made[position] = nodes + [range]
    return numbers
  }

  /// A value, rearranged as the integers of an operand are.
  private mutating func moved(
    _ value: Value, _ operand: DynamicOperand, _ shape: Shape
  ) throws -> Value {
    var value = value
    for move in operand.moves { value = try add(move, [value]) }
    return try reshaped(value, shape)
  }

  private mutating func reshaped(_ value: Value, _ shape: Shape) throws -> Value {
    guard graph.shape(of: value) != shape else { return value }
    return try add(.reshape(shape.sizes ?? []), [value])
  }
}

extension DynamicOperand {
  /// Whether the order of the elements changes between the quantization and the product.
  fileprivate var isPermuted: Bool {
    moves.contains { if case .permute = $0 { true } else { false } }
  }
}
