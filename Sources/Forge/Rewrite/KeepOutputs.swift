import ForgeOperations

/// Makes the outputs of kept layers readable without changing how anything else is computed.
///
/// A result that a rewrite has fused away is computed once more beside the network, from the nearest
/// results that are still there: keeping a layer changes no bit of any output.
enum KeepOutputs {
  /// Makes `values` outputs of the rewritten graph, after its own.
  static func apply(
    to graph: inout OperationGraph, values: [OperationGraph.Value], lowered: OperationGraph,
    constants: ParameterStore, foldsConstants: Bool
  ) throws {
    guard !values.isEmpty else { return }
    var made = Set(graph.nodes.map(\.output))
    var originals: [OperationGraph.Value: OperationGraph.Node] = [:]
    for node in lowered.nodes { originals[node.output] = node }
    var added: [OperationGraph.Node] = []
    for value in values {
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
      graph.outputs.append(value)
    }
    // They come last: everything they read is made by then.
    graph.nodes += added
    // Weights that were computed while compiling are needed as constants here as well.
    if foldsConstants { _ = try FoldConstants.apply(to: &graph, constants: constants) }
  }
}
