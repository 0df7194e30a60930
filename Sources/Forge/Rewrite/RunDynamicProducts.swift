import ForgeOperations
import ForgeShapes

/// Computes with integers of 8 bits where each prediction finds the range of what goes in.
///
/// `(product(integers − zero, weights) + biases) · (scale · factors) + offsets` becomes one
/// operation, where the integers, their zero point and their scale are those of one dynamic range,
/// and the weights and biases are whole numbers. Reshapes may stand between the parts; biases and
/// offsets may be absent.
enum RunDynamicProducts: Rewrite {
  static let name = "runDynamicProducts"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    guard graph.nodes.contains(where: \.isDynamicQuantization) else { return 0 }
    let pattern = DynamicProductPattern(graph, constants)
    var made: [Int: [OperationGraph.Node]] = [:]
    for position in graph.nodes.indices {
      guard let match = try pattern.match(at: position) else { continue }
      var builder = DynamicProductBuilder(graph: graph, layers: match.layers)
      try builder.build(match)
      graph = builder.graph
      made[match.end] = builder.nodes
    }
    return graph.replacePatterns(made)
  }
}

extension OperationGraph.Node {
  fileprivate var isDynamicQuantization: Bool {
    if case .dynamicQuantize = primitive { true } else { false }
  }

  /// Whether nothing is added to the result or applied to it.
  fileprivate var isBare: Bool { activation == .linear && residual == nil }
}

/// A product of integers that has been found.
private struct DynamicProductMatch {
  typealias Value = OperationGraph.Value

  let product: DynamicProduct
  /// The quantization of the input.
  let quantization: OperationGraph.Node
  /// The input of the product and its weights.
  let input, weights: Value
  /// The result of the product, and the last one of the pattern.
  var result, output: Value
  /// The place of the last node.
  let end: Int
  let layers: [Int]
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
    var readers: [Int: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) { readers[operand.index] = position }
    }
    self.readers = readers
  }

  /// The product at a position and what follows it.
  func match(at position: Int) throws -> DynamicProductMatch? {
    let node = graph.nodes[position]
    guard node.isBare, node.inputs.count == 2, let form = form(node),
      let quantization = quantization(before: node.inputs[0]),
      let outputs = graph.shape(of: node.output).channels,
      let hint = graph.weightScales[node.inputs[1].index], hint.allSatisfy({ $0 == 1 }),
      let weights = try graph.integers(
        ofWeights: node.inputs[1], scales: Array(repeating: 1, count: outputs), constants)
    else { return nil }
    let bias = try bias(behind: node.output, outputs: outputs)
    guard let scaling = reader(behind: bias?.output ?? node.output, .multiply),
      let factors = try factors(
        scaling.other, range: quantization.inputs[1], outputs: outputs)
    else { return nil }
    var (end, offsets): (Int, [Float]?) = (scaling.position, nil)
    if let sum = reader(behind: graph.nodes[end].output, .add),
      let numbers = try numbers(sum.other, outputs: outputs)
    {
      (end, offsets) = (sum.position, numbers)
    }
    return DynamicProductMatch(
      product: DynamicProduct(
        form: form, hasWeightZeros: weights.zeros != nil, biases: bias?.integers,
        factors: factors, offsets: offsets),
      quantization: quantization, input: node.inputs[0], weights: node.inputs[1],
      result: node.output, output: graph.nodes[end].output, end: end,
      layers: node.layers + graph.nodes[end].layers)
  }

  private func form(_ node: Node) -> QuantizedProduct.Form? {
    switch node.primitive {
    case .convolution(let geometry, let outputs, groups: 1):
      .convolution(geometry, outputs: outputs, groups: 1)
    case .dense(let outputs): .dense(outputs: outputs)
    default: nil
    }
  }

  /// The quantization whose integers less their zero point a value is.
  private func quantization(before value: Value) -> Node? {
    guard let difference = producer(of: value), case .binary(.subtract) = difference.primitive,
      difference.inputs.count == 2,
      graph.shape(of: difference.inputs[0]) == graph.shape(of: difference.output),
      let quantization = producer(of: difference.inputs[0]), quantization.isDynamicQuantization,
      part(of: difference.inputs[1]).map({ $0 == (quantization.inputs[1], 1) }) ?? false
    else { return nil }
    return quantization
  }

  /// The whole numbers that are added to sums, and the result.
  private func bias(
    behind value: Value, outputs: Int
  ) throws -> (integers: [Int32], output: Value)? {
    guard let sum = reader(behind: value, .add),
      let numbers = try numbers(sum.other, outputs: outputs)
    else { return nil }
    let integers = numbers.compactMap { Int32(exactly: $0) }
    guard integers.count == outputs, integers.allSatisfy({ $0.magnitude < 1 << 30 }) else {
      return nil
    }
    return (integers, graph.nodes[sum.position].output)
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

  /// The vector that a value is an element of, and the place of the element.
  private func part(of value: Value) -> (Value, Int)? {
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

  /// The operation that alone reads a value, reshapes left out, its place and its other operand;
  /// the last axis stays that of the value.
  private func reader(
    behind value: Value, _ operation: BinaryOperator
  ) -> (position: Int, other: Value)? {
    var value = value
    let channels = graph.shape(of: value).sizes?.last
    while index.uses[value.index] == 1, let position = readers[value.index] {
      let node = graph.nodes[position]
      guard node.residual == nil, graph.shape(of: node.output).sizes?.last == channels else {
        return nil
      }
      switch node.primitive {
      case .reshape where node.isBare: value = node.output
      case .binary(operation) where node.isBare && node.inputs.count == 2:
        guard graph.shape(of: node.output) == graph.shape(of: value) else { return nil }
        return (position, node.inputs[0] == value ? node.inputs[1] : node.inputs[0])
      default: return nil
      }
    }
    return nil
  }
}

/// Makes the nodes of a product of integers.
private struct DynamicProductBuilder: PatternBuilder {
  var graph: OperationGraph
  var nodes: [OperationGraph.Node] = []
  let layers: [Int]

  init(graph: OperationGraph, layers: [Int]) {
    self.graph = graph
    self.layers = layers
  }

  mutating func build(_ match: DynamicProductMatch) throws {
    var product = match.product
    var integers = match.quantization.output
    let range = match.quantization.inputs[1]
    let shape = graph.shape(of: match.input)
    if case .convolution(let geometry, let outputs, let groups) = product.form,
      let edges = padding(geometry, shape), edges != .none
    {
      // The border stands for 0, whose integer is not known before the prediction.
      let padded = try add(.pad(edges), [try reshaped(match.quantization.inputs[0], shape)])
      integers = try add(.dynamicQuantize, [padded, range])
      product = DynamicProduct(
        form: .convolution(geometry.withPadding(.valid), outputs: outputs, groups: groups),
        hasWeightZeros: product.hasWeightZeros, biases: product.biases, factors: product.factors,
        offsets: product.offsets)
    } else {
      integers = try reshaped(integers, shape)
    }
    let result = try add(.dynamicProduct(product), [integers, match.weights, range])
    try finish(result, nil, as: match.output)
  }

  private func padding(_ geometry: ConvolutionGeometry, _ shape: Shape) -> Edges? {
    guard let sizes = shape.sizes, sizes.count == 3 else { return nil }
    return geometry.edges(width: sizes[1], height: sizes[0])
  }

  private mutating func reshaped(_ value: Value, _ shape: Shape) throws -> Value {
    guard graph.shape(of: value) != shape else { return value }
    return try add(.reshape(shape.sizes ?? []), [value])
  }
}
