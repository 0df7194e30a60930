import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a softmax or log-softmax over the last axis.
  mutating func addSoftmax(_ node: OperationGraph.Node, logarithm: Bool) throws {
    guard isImage(node.output) else {
      let source = try plain(node.inputs[0])
      let target = plainResult(node.output)
      let columns = tensor(target).sizes.last ?? 1
      let rows = tensor(target).count / max(columns, 1)
      let run = require(kernels.softmax_plain)
      addStep("softmax", reads: [source], writes: [target]) { places in
        var arguments = forge_softmax_plain_arguments()
        arguments.in = places.place(source)
        arguments.out = places.place(target)
        arguments.rows = Int64(rows)
        arguments.columns = Int64(columns)
        arguments.logarithm = logarithm ? 1 : 0
        return KernelCall(run, arguments, tiles: forge_softmax_plain_tiles)
      }
      return
    }
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    let run = require(kernels.softmax)
    addStep("softmax", reads: [source], writes: [target]) { places in
      var arguments = forge_softmax_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.logarithm = logarithm ? 1 : 0
      return KernelCall(run, arguments, tiles: forge_softmax_tiles)
    }
  }
}
