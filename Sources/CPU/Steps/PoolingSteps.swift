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
    let window = Window(geometry, input: tensor(source))
    let code =
      switch kind {
      case .maximum: FORGE_POOL_MAXIMUM
      case .averageInside: FORGE_POOL_AVERAGE_INSIDE
      case .averageAll: FORGE_POOL_AVERAGE_ALL
      }
    let activation = forge_activation(node.activation)
    let run = require(kernels.pooling)
    addStep("pooling \(geometry.kernel)", reads: [source], writes: [target]) { places in
      var arguments = forge_pooling_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.kind = Int32(code.rawValue)
      arguments.set(window)
      arguments.activation = activation
      return KernelCall(
        run, arguments, tiles: forge_pooling_tiles, parts: Int(arguments.out.height))
    }
  }
}
