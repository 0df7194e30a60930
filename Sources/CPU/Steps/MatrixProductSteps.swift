import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds the products of matrices in two plain tensors.
  mutating func addMatrixProduct(_ node: OperationGraph.Node) throws {
    let (left, right) = (try plain(node.inputs[0]), try plain(node.inputs[1]))
    let target = plainResult(node.output)
    let (a, b, sizes) = (tensor(left).sizes, tensor(right).sizes, tensor(target).sizes)
    let batch = Array(sizes.dropLast(2))
    /// The strides of the batch axes, 0 along those that repeat.
    func strides(_ operand: [Int]) -> [Int] {
      Array(Shape.strides(of: operand, broadcastTo: sizes).prefix(batch.count))
    }
    var arguments = forge_matrix_product_arguments()
    arguments.batch_rank = Int32(batch.count)
    withUnsafeMutableBytes(of: &arguments.batch_sizes) { $0.store(batch) }
    withUnsafeMutableBytes(of: &arguments.left_strides) { $0.store(strides(a)) }
    withUnsafeMutableBytes(of: &arguments.right_strides) { $0.store(strides(b)) }
    arguments.rows = Int64(sizes[sizes.count - 2])
    arguments.inner = Int64(a[a.count - 1])
    arguments.columns = Int64(sizes[sizes.count - 1])
    addStep(
      "matrixProduct", kernels.matrix_product, arguments, tiles: forge_matrix_product_tiles,
      reads: [\.left: left, \.right: right], writes: [\.out: target],
      multiplyAdds: tensor(target).count.multipliedSaturated(by: a[a.count - 1]))
  }
}
