import Forge

/// `If`: one of two graphs.
///
/// If the condition is known while importing, the other graph is left out. Of a condition that a
/// prediction computes both graphs are, and their results are chosen between, because the nodes of
/// a graph keep nothing from one prediction to the next.
extension ONNXExpansion {
  static let branches = [ONNXExpansion("If", branch)]

  private static let names = ["then_branch", "else_branch"]

  private static func branch(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    guard let condition = node.inputs.first else { throw NodeFailure.invalid("no condition") }
    guard let known = try graph.host(condition) else {
      return try choose(&graph, node, condition, scope)
    }
    guard known.count == 1, let isTrue = try known.cast(to: .bool).integers().first else {
      throw NodeFailure.invalid("a condition of sizes \(known.sizes)")
    }
    let results = try imported(&graph, node, names[isTrue != 0 ? 0 : 1], scope)
    try graph.set(node, to: results, in: scope)
    graph.release(results)
    graph.mix(node.outputs, by: node, on: [condition])
  }

  /// Imports a branch; returns the unique names of its results.
  private static func imported(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ name: String, _ scope: ONNXScope
  ) throws -> [String] {
    guard let body = node.graph(name) else { throw NodeFailure.invalid("no \(name)") }
    let results = try graph.importGraph(
      body, inputs: [], in: scope, prefix: graph.prefix(node, name, in: scope))
    guard results.count == node.outputs.count else {
      throw NodeFailure.invalid("\(results.count) results of \(name)")
    }
    return results
  }

  /// Imports both branches and chooses between their results.
  private static func choose(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ condition: String, _ scope: ONNXScope
  ) throws {
    let branches = try names.map { try imported(&graph, node, $0, scope) }
    guard let sizes = graph.sizes(condition), sizes.allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.invalid("a condition of sizes \(graph.sizes(condition) ?? [])")
    }
    // A condition of one axis would give an axis to results that have none.
    let single = graph.temporary(node, "condition")
    try graph.add(
      [FileNode("Squeeze", inputs: [condition], outputs: [single])], in: scope)
    graph.uses.add(outputs: [single])
    for (index, output) in node.outputs.enumerated() where !output.isEmpty {
      let results = branches.map { $0[index] }
      // A branch with an operator that Forge does not have is refused already.
      guard !results.contains(where: { graph.missing.contains($0) }) else {
        graph.missing.insert(output)
        continue
      }
      guard let first = graph.sizes(results[0]), let second = graph.sizes(results[1]) else {
        throw NodeFailure.unsupported("sequences that a computed condition chooses")
      }
      let types = results.compactMap { graph.values[$0]?.type ?? graph.families[$0]?.tensors[0].type }
      guard first == second, Set(types).count == 1 else {
        throw NodeFailure.unsupported(
          "branches of sizes \(first) and \(second), which a computed condition chooses")
      }
      try graph.add(
        [FileNode("Where", inputs: [single] + results, outputs: [output])], in: scope)
    }
    for results in branches { graph.release(results) }
    // A choice for each example is none for all of them.
    graph.mix(node.outputs, by: node, on: [condition])
  }
}
