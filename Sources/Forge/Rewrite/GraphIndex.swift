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

  /// The node that makes `value`, if the value has exactly one use.
  func soleProducer(of value: OperationGraph.Value) -> Int? {
    uses[value.index] == 1 ? producer[value.index] : nil
  }
}

extension OperationGraph {
  /// Replaces the keys by their values in all operands and outputs.
  mutating func replaceUses(_ replacement: [Value: Value]) {
    guard !replacement.isEmpty else { return }
    let resolve = { (value: Value) in
      var value = value
      while let next = replacement[value] { value = next }
      return value
    }
    for index in nodes.indices {
      nodes[index].inputs = nodes[index].inputs.map(resolve)
      nodes[index].residual = nodes[index].residual.map(resolve)
    }
    outputs = outputs.map(resolve)
    layerOutputs = layerOutputs.mapValues(resolve)
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
