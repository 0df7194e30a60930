import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a tree ensemble.
  mutating func addTreeEnsemble(_ node: OperationGraph.Node, _ rule: TreeEnsembleRule) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let sizes = sizes(of: node.inputs[0])
    let table = try rule.table.get()
    let rows = sizes.dropLast().reduce(1, *)
    var arguments = forge_tree_ensemble_arguments()
    arguments.nodes = try retain(
      table.nodes.map {
        forge_tree_node(
          feature: $0.feature, threshold: $0.threshold, children: ($0.yes, $0.no))
      })
    arguments.roots = try retain(table.roots)
    if !table.isSingle {
      arguments.starts = try retain(table.starts)
      arguments.vote_targets = try retain(table.targets)
      arguments.weights = try retain(table.weights)
    }
    if !table.base.isEmpty { arguments.base = try retain(table.base) }
    arguments.rows = Int64(rows)
    arguments.columns = Int64(sizes.last ?? 1)
    arguments.trees = Int64(table.roots.count)
    arguments.targets = Int64(rule.targets)
    arguments.questions = Int32(table.questions.code.rawValue)
    arguments.aggregate = Int32(rule.aggregate.code.rawValue)
    arguments.is_single = table.isSingle ? 1 : 0
    // A double is two floats.
    addStep(
      "treeEnsemble", kernels.tree_ensemble, arguments, tiles: forge_tree_ensemble_tiles,
      reads: [\.in: source],
      writes: [\.out: target, \.scratch: addPlain([rows, rule.targets, 2])])
  }
}

extension TreeTable.Questions {
  /// The number that the kernel knows.
  fileprivate var code: forge_tree_questions {
    switch self {
    case .lessOrEqual: FORGE_TREES_LESS_OR_EQUAL
    case .less: FORGE_TREES_LESS
    case .lessOrEqualOrNaN: FORGE_TREES_LESS_OR_EQUAL_OR_NAN
    case .lessOrNaN: FORGE_TREES_LESS_OR_NAN
    case .mixed: FORGE_TREES_MIXED
    }
  }
}

extension TreeAggregate {
  /// The number that the kernel knows.
  fileprivate var code: forge_tree_aggregate {
    switch self {
    case .sum: FORGE_TREES_SUM
    case .average: FORGE_TREES_AVERAGE
    case .minimum: FORGE_TREES_MINIMUM
    case .maximum: FORGE_TREES_MAXIMUM
    }
  }
}
