import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a pooling of a plain tensor over any number of axes.
  mutating func addPoolingND(_ node: OperationGraph.Node, _ window: PoolingWindow) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let (input, output) = (sizes(of: node.inputs[0]), sizes(of: node.output))
    var arguments = forge_pooling_nd_arguments()
    let (kind, p) =
      switch window.kind {
      case .maximum: (FORGE_POOL_ND_MAXIMUM, 0)
      case .averageInside: (FORGE_POOL_ND_AVERAGE_INSIDE, 0)
      case .averageAll: (FORGE_POOL_ND_AVERAGE_ALL, 0)
      case .maximumPlace: (FORGE_POOL_ND_MAXIMUM_PLACE, 0)
      case .lp(let p): (FORGE_POOL_ND_LP, p)
      }
    arguments.kind = Int32(kind.rawValue)
    arguments.p = Int32(clamping: p)
    arguments.rank = Int32(clamping: window.kernel.count)
    arguments.channels = Int64(output.last ?? 1)
    withUnsafeMutableBytes(of: &arguments.in_sizes) { $0.store(Array(input.dropLast())) }
    withUnsafeMutableBytes(of: &arguments.out_sizes) { $0.store(Array(output.dropLast())) }
    withUnsafeMutableBytes(of: &arguments.kernel) { $0.store(window.kernel) }
    withUnsafeMutableBytes(of: &arguments.strides) { $0.store(window.strides) }
    withUnsafeMutableBytes(of: &arguments.dilations) { $0.store(window.dilations) }
    withUnsafeMutableBytes(of: &arguments.before) { $0.store(window.before) }
    withUnsafeMutableBytes(of: &arguments.after) { $0.store(window.after) }
    addStep(
      "poolingND", kernels.pooling_nd, arguments, tiles: forge_pooling_nd_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}
