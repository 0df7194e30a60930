import ForgeOperations

extension PlanBuilder {
  /// Adds a custom operation on plain tensors; no step is fused with it.
  mutating func addCustom(_ node: OperationGraph.Node, _ operation: CustomOperation) throws {
    var reads: [ID] = []
    for input in node.inputs { reads.append(try plain(input)) }
    let target = plainResult(node.output)
    addCustomStep(operation, reads: reads, writes: target)
  }
}
