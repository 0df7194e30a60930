import ForgeOperations

/// Makes the outputs of kept layers readable without changing any other computation.
///
/// A result that a rewrite has fused away is recomputed beside the network, from the nearest
/// results that still exist. Keeping a layer therefore leaves every output bit-identical.
enum KeepOutputs {
  /// Appends `values` to the outputs of the rewritten graph.
  static func apply(
    to graph: inout OperationGraph, values: [OperationGraph.Value], lowered: OperationGraph,
    constants: any ConstantSource, foldsConstants: Bool
  ) throws {
    guard !values.isEmpty else { return }
    var made = Set(graph.nodes.map(\.output))
    let originals = Dictionary(uniqueKeysWithValues: lowered.nodes.map { ($0.output, $0) })
    var added: [OperationGraph.Node] = []
    for value in values {
      // Operands come first; a value is visited again once they are made.
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
    // They are appended, so that all their operands are made before them.
    graph.nodes += added
    // Weights that were folded to constants must be constants here as well.
    if foldsConstants { _ = try FoldConstants.apply(to: &graph, constants: constants) }
  }
}
