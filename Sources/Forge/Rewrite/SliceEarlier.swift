import ForgeOperations
import ForgeShapes

/// Computes only the part of a result that slices, crops and gathers behind it keep.
///
/// A slice moves to the beginning through elementwise operations, convolutions, poolings, products
/// of matrices, attention and what moves elements. A value that several nodes read in parts is made
/// as the smallest box that holds all of them. Networks for sequences of any length keep their
/// slices, which depend on the length.
enum SliceEarlier: Rewrite {
  static let name = "sliceEarlier"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    guard !graph.hasVaryingLength else { return 0 }
    var used = graph
    used.removeUnusedNodes()
    guard let demand = PartDemand(used) else { return 0 }
    var builder = PartBuilder(used, demand)
    guard (try? builder.build()) != nil else { return 0 }
    graph = builder.graph
    return builder.count
  }
}

/// Makes the nodes that compute parts.
private struct PartBuilder {
  typealias Value = OperationGraph.Value

  private(set) var graph: OperationGraph
  /// The number of nodes that compute a part.
  private(set) var count = 0
  private let demand: PartDemand
  private var nodes: [OperationGraph.Node] = []
  /// The values of which only a part is made: what holds the part.
  private var made: [Value: Value] = [:]
  /// The parts that were copied out of a value.
  private var copies: [Copy: Value] = [:]
  /// Slices whose results are those of other nodes.
  private var replacements: [Value: Value] = [:]

  private struct Copy: Hashable {
    let value: Value
    let part: TensorPart
  }

  init(_ graph: OperationGraph, _ demand: PartDemand) {
    (self.graph, self.demand) = (graph, demand)
  }

  mutating func build() throws(ShapeError) {
    for (node, choice) in zip(graph.nodes, demand.choices) {
      switch choice {
      case .full: nodes.append(node)
      case .slice(let computation): try slice(node, computation.operands[0])
      case .part(let computation): try compute(node, computation)
      }
    }
    graph.nodes = nodes
    _ = graph.replace(replacements)
  }

  /// A node that takes a part of an operand.
  private mutating func slice(
    _ node: OperationGraph.Node, _ operand: PartialComputation.Operand
  ) throws(ShapeError) {
    let source = node.inputs[operand.position]
    let isWhole = demand.made(node.output).sizes == graph.shape(of: node.output).sizes
    if isWhole, made[source] == nil { return nodes.append(node) }
    let value = try part(operand.part, of: source, layers: node.layers)
    if isWhole { replacements[node.output] = value } else { made[node.output] = value }
  }

  /// A node that computes a part of its result.
  private mutating func compute(
    _ node: OperationGraph.Node, _ computation: PartialComputation
  ) throws(ShapeError) {
    var inputs: [Value] = []
    for operand in computation.operands {
      let value = node.inputs[operand.position]
      inputs.append(
        graph.constant(value) == nil
          ? try part(operand.part, of: value, layers: node.layers)
          : constant(operand.part, of: value))
    }
    made[node.output] = try add(
      computation.primitive ?? node.primitive, inputs,
      sizes: demand.made(node.output).sizes, layers: node.layers)
    count += 1
  }

  /// A part of a value that is not a constant.
  private mutating func part(
    _ part: TensorPart, of value: Value, layers: [Int]
  ) throws(ShapeError) -> Value {
    let held = demand.made(value)
    let source = made[value] ?? value
    if part == held { return source }
    let copy = Copy(value: value, part: part)
    if let value = copies[copy] { return value }
    let result = try add(
      Self.slice(part.inside(held), of: held.sizes), [source], sizes: part.sizes, layers: layers)
    copies[copy] = result
    return result
  }

  /// The operation that takes a part of a tensor.
  private static func slice(_ part: TensorPart, of sizes: [Int]) -> Primitive {
    let ranges = part.ranges
    if sizes.count == 3 {
      if part.coversAll(along: 2, of: sizes) {
        return .crop(
          Edges(
            top: ranges[0].lowerBound, left: ranges[1].lowerBound,
            bottom: sizes[0] - ranges[0].upperBound, right: sizes[1] - ranges[1].upperBound))
      }
      if part.coversAll(along: 0, of: sizes), part.coversAll(along: 1, of: sizes) {
        return .gatherChannels(Array(ranges[2]))
      }
    }
    return .slice(
      starts: ranges.map(\.lowerBound), sizes: part.sizes, steps: ranges.map { _ in 1 })
  }

  /// A part of a constant.
  private mutating func constant(_ part: TensorPart, of value: Value) -> Value {
    guard let recipe = graph.constant(value), let sizes = graph.shape(of: value).sizes,
      !part.coversAll(of: sizes)
    else { return value }
    let strides = Shape.strides(of: sizes)
    let start = zip(part.ranges, strides).reduce(0) { $0 + $1.0.lowerBound * $1.1 }
    let result = graph.addValue(
      Shape(sizes: part.sizes),
      .constant(
        .strided(
          recipe, count: sizes.reduce(1, *), start: start, sizes: part.sizes, strides: strides)))
    if let scales = graph.weightScales[value.index] {
      let isEach = scales.count == sizes.first && scales.count > 1
      graph.weightScales[result.index] = isEach ? Array(scales[part.ranges[0]]) : scales
    }
    return result
  }

  private mutating func add(
    _ primitive: Primitive, _ inputs: [Value], sizes: [Int], layers: [Int]
  ) throws(ShapeError) -> Value {
    let value = try graph.addNode(primitive, inputs, layer: 0)
    var node = graph.nodes.removeLast()
    let shape = graph.shape(of: value)
    guard shape.sizes == sizes else {
      throw ShapeError(
        .shapeMismatch, "a part has a different shape", received: shape.sizeText, needs: "\(sizes)")
    }
    node.layers = layers
    nodes.append(node)
    return value
  }
}
