import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a rotation of pairs of channels; the cosines and sines are read as they are stored.
  mutating func addRotation(_ node: OperationGraph.Node, _ rule: RotationRule) throws {
    let image = try blocked(node.inputs[0])
    let factors = try node.inputs[1...2].map { value in
      rule.hasPosition ? try table(value) : try plain(value)
    }
    let position = rule.hasPosition ? try plain(node.inputs[3]) : nil
    var arguments = forge_rotate_arguments()
    arguments.heads = Int32(rule.heads)
    let pairs = rule.pairs == .halves ? FORGE_ROTATE_HALVES : FORGE_ROTATE_NEIGHBORS
    arguments.pairs = Int32(pairs.rawValue)
    arguments.has_position = rule.hasPosition ? 1 : 0
    addStep(
      node.primitive.name, kernels.rotate, arguments, tiles: forge_rotate_tiles,
      reads: [
        \.in: image, \.cosines: factors[0], \.sines: factors[1], \.position: position,
      ],
      writes: [\.out: blockedResult(node.output)])
  }
}
