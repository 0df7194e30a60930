import ForgeOperations

/// Makes the outputs of kept layers readable without changing how anything else is computed.
///
/// A result that a rewrite has fused away is computed once more beside the network, from the nearest
/// results that are still there: keeping a layer changes no bit of any output.
enum KeepOutputs {
  /// The rewritten graph with the values of `layers` among its outputs, after its own.
  static func apply(
    to graph: inout OperationGraph, lowered: OperationGraph, layers: [Int]
  ) -> [Int] {
    var made = Set(graph.nodes.map(\.output))
    var originals: [OperationGraph.Value: OperationGraph.Node] = [:]
    for node in lowered.nodes { originals[node.output] = node }
    var added: [OperationGraph.Node] = []
    var positions: [Int] = []
    for layer in layers {
      guard let value = lowered.layerOutputs[layer] else { continue }
      // Operands first; a value is visited again once they are made.
      var pending = [value]
      while let next = pending.last {
        guard !made.contains(next), let node = originals[next] else {
          pending.removeLast()
          continue
        }
        let missing = node.inputs.filter { !made.contains($0) && originals[$0] != nil }
        guard missing.isEmpty else {
          pending.append(contentsOf: missing)
          continue
        }
        added.append(node)
        made.insert(next)
        pending.removeLast()
      }
      positions.append(graph.outputs.count)
      graph.outputs.append(value)
    }
    // They come last: everything they read is made by then.
    graph.nodes += added
    return positions
  }
}
