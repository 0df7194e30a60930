import ForgeOperations
import ForgeShapes

/// Makes the nodes that take the place of a pattern in a graph.
protocol PatternBuilder {
  var graph: OperationGraph { get set }
  /// The nodes that were made.
  var nodes: [OperationGraph.Node] { get set }
  /// The layers of the pattern, which all nodes have.
  var layers: [Int] { get }
}

extension PatternBuilder {
  typealias Value = OperationGraph.Value

  /// Makes a node and returns its output.
  mutating func add(
    _ primitive: Primitive, _ inputs: [Value]
  ) throws(ShapeError) -> Value {
    let value = try graph.addNode(primitive, inputs, layer: 0)
    var node = graph.nodes.removeLast()
    node.layers = layers
    nodes.append(node)
    return value
  }

  /// Lets an image, separated into the axes that it was joined from, be the output of the pattern.
  mutating func finish(
    _ image: Value, _ separation: AxisWalk.Permutation?, as output: Value
  ) throws(ShapeError) {
    var result = image
    if let separation {
      result = try add(.reshape(separation.sizes), [result])
      result = try add(.permute(separation.order), [result])
    }
    let shape = graph.shape(of: output)
    if graph.shape(of: result) != shape {
      _ = try add(.reshape(shape.sizes ?? []), [result])
    }
    nodes[nodes.count - 1].output = output
  }
}

extension OperationGraph {
  /// Puts the nodes of patterns in the place of those that the patterns end with, by position, and
  /// removes what nothing needs anymore; returns the number of patterns.
  mutating func replacePatterns(_ made: [Int: [Node]]) -> Int {
    guard !made.isEmpty else { return 0 }
    replaceNodes(made)
    removeUnusedNodes()
    return made.count
  }
}
