import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// The number of rows and the length of each in a plain tensor.
  private func rows(_ value: Value) -> (rows: Int64, columns: Int64) {
    let sizes = sizes(of: value)
    return (Int64(sizes.dropLast().reduce(1, *)), Int64(sizes.last ?? 1))
  }

  /// Adds the reduction of each row of a plain tensor.
  mutating func addReduceRows(_ node: OperationGraph.Node, _ kind: Reduction) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    var arguments = forge_reduce_rows_arguments()
    (arguments.rows, arguments.columns) = rows(node.inputs[0])
    arguments.kind = Int32(kind.code.rawValue)
    addStep(
      "reduce", kernels.reduce_rows, arguments, tiles: forge_reduce_rows_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the place of the largest or smallest element of each row.
  mutating func addArgumentRows(
    _ node: OperationGraph.Node, smallest: Bool, selectsLast: Bool
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    var arguments = forge_argument_rows_arguments()
    (arguments.rows, arguments.columns) = rows(node.inputs[0])
    arguments.smallest = smallest ? 1 : 0
    arguments.selects_last = selectsLast ? 1 : 0
    addStep(
      smallest ? "argMin" : "argMax", kernels.argument_rows, arguments,
      tiles: forge_argument_rows_tiles, reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the largest or smallest elements of each row.
  mutating func addTopRows(
    _ node: OperationGraph.Node, count: Int, smallest: Bool, places: Bool
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    var arguments = forge_top_rows_arguments()
    (arguments.rows, arguments.columns) = rows(node.inputs[0])
    arguments.count = Int64(count)
    arguments.smallest = smallest ? 1 : 0
    arguments.places = places ? 1 : 0
    addStep(
      "topK", kernels.top_rows, arguments, tiles: forge_top_rows_tiles, reads: [\.in: source],
      writes: [\.out: target, \.scratch: addPlain(sizes(of: node.inputs[0]))])
  }

  /// Adds the sums of the elements of each row up to each one.
  mutating func addCumulativeSum(
    _ node: OperationGraph.Node, exclusive: Bool, reversed: Bool
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    var arguments = forge_cumulative_sum_arguments()
    (arguments.rows, arguments.columns) = rows(node.inputs[0])
    arguments.exclusive = exclusive ? 1 : 0
    arguments.reversed = reversed ? 1 : 0
    addStep(
      "cumulativeSum", kernels.cumulative_sum, arguments, tiles: forge_cumulative_sum_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}

extension Reduction {
  /// The C value of the reduction.
  fileprivate var code: forge_reduction {
    switch self {
    case .sum: FORGE_REDUCE_SUM
    case .mean: FORGE_REDUCE_MEAN
    case .maximum: FORGE_REDUCE_MAXIMUM
    case .minimum: FORGE_REDUCE_MINIMUM
    case .product: FORGE_REDUCE_PRODUCT
    case .l1: FORGE_REDUCE_L1
    case .l2: FORGE_REDUCE_L2
    case .sumOfSquares: FORGE_REDUCE_SUM_OF_SQUARES
    case .logSum: FORGE_REDUCE_LOG_SUM
    case .logSumExp: FORGE_REDUCE_LOG_SUM_EXP
    }
  }
}
