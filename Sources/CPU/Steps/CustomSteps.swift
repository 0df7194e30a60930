import ForgeOperations

extension PlanBuilder {
  /// A user's own arithmetic on plain tensors: nothing is fused across it.
  mutating func addCustom(_ node: OperationGraph.Node, _ operation: CustomOperation) throws {
    var reads: [ID] = []
    for input in node.inputs { reads.append(try plain(input)) }
    let target = plainResult(node.output)
    addCustomStep(operation, reads: reads, writes: target)
  }
}
