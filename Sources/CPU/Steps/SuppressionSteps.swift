import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds a non-maximum suppression.
  mutating func addSuppression(_ node: OperationGraph.Node, _ rule: SuppressionRule) throws {
    let (boxes, scores) = (try plain(node.inputs[0]), try plain(node.inputs[1]))
    let target = plainResult(node.output)
    let sizes = sizes(of: node.inputs[1])
    var arguments = forge_suppress_arguments()
    let count = sizes.last ?? 0
    arguments.images = sizes.count > 2 ? Int64(sizes[0]) : 1
    arguments.classes = Int64(sizes.dropLast().last ?? 0)
    arguments.count = Int64(count)
    arguments.most = Int64(rule.maximumPerClass)
    arguments.iou_threshold = rule.iouThreshold
    arguments.score_threshold = rule.scoreThreshold
    arguments.centered = rule.centerPointBoxes ? 1 : 0
    addStep(
      "suppress", kernels.suppress, arguments, tiles: forge_suppress_tiles,
      reads: [\.boxes: boxes, \.scores: scores],
      writes: [\.out: target, \.scratch: addPlain([count])])
  }
}
