import ForgeOperations

/// The producer and the number of uses of each value of a graph.
struct GraphIndex {
  /// The node that makes a value.
  private(set) var producer: [Int?]
  /// The number of uses of a value, including as an output of the model.
  private(set) var uses: [Int]

  init(_ graph: OperationGraph) {
    producer = Array(repeating: nil, count: graph.shapes.count)
    uses = Array(repeating: 0, count: graph.shapes.count)
    for (index, node) in graph.nodes.enumerated() {
      producer[node.output.index] = index
      for operand in graph.operands(of: node) { uses[operand.index] += 1 }
    }
    for output in graph.outputs { uses[output.index] += 1 }
  }

  /// Takes over the new operands of nodes that have changed, and values that were added.
  ///
  /// - Parameters:
  ///   - positions: the changed nodes.
  ///   - earlier: the graph's nodes at these positions before the change.
  ///   - graph: the graph.
  mutating func update(
    _ positions: [Int], from earlier: [OperationGraph.Node], in graph: OperationGraph
  ) {
    let added = graph.shapes.count - uses.count
    uses += Array(repeating: 0, count: added)
    producer += Array(repeating: nil, count: added)
    for node in earlier {
      for operand in graph.operands(of: node) { uses[operand.index] -= 1 }
    }
    for position in positions {
      let node = graph.nodes[position]
      producer[node.output.index] = position
      for operand in graph.operands(of: node) { uses[operand.index] += 1 }
    }
  }

  /// The node that makes `value`, if the value has exactly one use.
  func soleProducer(of value: OperationGraph.Value) -> Int? {
    uses[value.index] == 1 ? producer[value.index] : nil
  }
}

extension OperationGraph {
  /// A node that reads each value that is read, by the index of the value.
  var readers: [Int: Int] {
    var readers: [Int: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for operand in operands(of: node) { readers[operand.index] = position }
    }
    return readers
  }

  /// Puts other nodes in the place of some.
  ///
  /// - Parameter replacements: the nodes that replace that of a position.
  mutating func replaceNodes(_ replacements: [Int: [Node]]) {
    nodes = nodes.enumerated().flatMap { position, node in replacements[position] ?? [node] }
  }

  /// Removes the nodes that make the keys and replaces these by their values in all operands and
  /// outputs; returns the number of keys.
  mutating func replace(_ replacement: [Value: Value]) -> Int {
    guard !replacement.isEmpty else { return 0 }
    let resolve = { (value: Value) in
      var value = value
      while let next = replacement[value] { value = next }
      return value
    }
    nodes.removeAll { replacement[$0.output] != nil }
    for index in nodes.indices {
      nodes[index].inputs = nodes[index].inputs.map(resolve)
      nodes[index].residual = nodes[index].residual.map(resolve)
    }
    outputs = outputs.map(resolve)
    layerOutputs = layerOutputs.mapValues(resolve)
    return replacement.count
  }

  /// Lets a node read the input of its producer instead of the producer's result.
  mutating func bypass(_ producer: Int, before position: Int) {
    nodes[position].inputs[0] = nodes[producer].inputs[0]
    nodes[position].layers = nodes[producer].layers + nodes[position].layers
  }

  /// Puts the layers of a node that is going to be removed in front of those of another.
  ///
  /// The node has none afterwards, so a long chain costs the same per node.
  mutating func takeLayers(of producer: Int, to position: Int) {
    var layers = nodes[producer].layers
    nodes[producer].layers = []
    layers += nodes[position].layers
    nodes[position].layers = layers
  }

  /// Gives a node the operation of an earlier one, which is computed at the later position instead.
  mutating func move(_ earlier: Node, to position: Int) {
    nodes[position].primitive = earlier.primitive
    nodes[position].inputs = earlier.inputs
    nodes[position].layers = earlier.layers + nodes[position].layers
  }

  /// Exchanges the operations of a node and its producer: g(f(x)) becomes f(g(x)).
  mutating func exchange(_ producer: Int, _ position: Int) {
    let (first, second) = (nodes[producer], nodes[position])
    let value = addValue(shape(of: second.output), .node)
    nodes[producer].primitive = second.primitive
    nodes[producer].inputs = [first.inputs[0]] + second.inputs.dropFirst()
    nodes[producer].output = value
    nodes[producer].layers = second.layers
    nodes[position].primitive = first.primitive
    nodes[position].inputs = [value] + first.inputs.dropFirst()
    nodes[position].layers = first.layers
  }

  /// Whether a slice may take another part of its operand for shorter sequences: it takes all of it
  /// for the longest, or the operand is a table for all lengths.
  ///
  /// A rewrite that drops or replaces it for some lengths would not find it for the others.
  func isPartForShorterLengths(_ slice: Node, steps: [Int]) -> Bool {
    let isWhole =
      shape(of: slice.inputs[0]) == shape(of: slice.output)
      || computedInPredictions.contains(slice.inputs[0].index)
    return hasVaryingLength && isWhole && steps.allSatisfy { $0 == 1 }
  }

  /// Removes the nodes at the given indices.
  mutating func removeNodes(_ indices: Set<Int>) {
    guard !indices.isEmpty else { return }
    nodes = nodes.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
  }

  /// Removes nodes that no output needs.
  mutating func removeUnusedNodes() {
    var needed = Set(outputs)
    var kept: [Node] = []
    for node in nodes.reversed() where needed.contains(node.output) {
      needed.formUnion(operands(of: node))
      kept.append(node)
    }
    nodes = kept.reversed()
  }
}
