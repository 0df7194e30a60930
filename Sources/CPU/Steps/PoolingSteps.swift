import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a pooling; the window of a global pooling is the whole image.
  mutating func addPooling(
    _ node: OperationGraph.Node, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws {
    let source = try blocked(node.inputs[0])
    let target = blockedResult(node.output)
    var arguments = forge_pooling_arguments()
    let code =
      switch kind {
      case .maximum: FORGE_POOL_MAXIMUM
      case .averageInside: FORGE_POOL_AVERAGE_INSIDE
      case .averageAll: FORGE_POOL_AVERAGE_ALL
      }
    arguments.kind = Int32(code.rawValue)
    arguments.set(geometry, input: tensor(source))
    arguments.activation = forge_activation(node.activation)
    addStep(
      "pooling \(geometry.kernel)", kernels.pooling, arguments, tiles: forge_pooling_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }
}
