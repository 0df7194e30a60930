import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a softmax or log-softmax over the last axis.
  mutating func addSoftmax(_ node: OperationGraph.Node, logarithm: Bool) throws {
    guard isImage(node.output) else {
      let source = try plain(node.inputs[0])
      let target = plainResult(node.output)
      let columns = tensor(target).sizes.last ?? 1
      var arguments = forge_softmax_plain_arguments()
      arguments.rows = Int64(tensor(target).count / max(columns, 1))
      arguments.columns = Int64(columns)
      arguments.logarithm = logarithm ? 1 : 0
      addStep(
        "softmax", kernels.softmax_plain, arguments, tiles: forge_softmax_plain_tiles,
        reads: [\.in: source], writes: [\.out: target])
      return
    }
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    var arguments = forge_softmax_arguments()
    arguments.logarithm = logarithm ? 1 : 0
    addStep(
      "softmax", kernels.softmax, arguments, tiles: forge_softmax_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}
