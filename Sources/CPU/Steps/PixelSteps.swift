import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds an interleaving of images: one step for each, which writes every this many pixels.
  mutating func addInterleaving(_ node: OperationGraph.Node, _ step: Size) throws {
    let sources = try node.inputs.map { try blocked($0) }
    let target = blockedResult(node.output)
    for (index, source) in sources.enumerated() {
      var arguments = forge_place_pixels_arguments()
      arguments.step_y = Int32(clamping: step.height)
      arguments.step_x = Int32(clamping: step.width)
      arguments.row = Int32(clamping: index / step.width)
      arguments.column = Int32(clamping: index % step.width)
      addStep(
        "placePixels", kernels.place_pixels, arguments, tiles: forge_place_pixels_tiles,
        parts: tensor(source).height, reads: [\.in: source], writes: [\.out: target])
    }
  }

  /// Adds a rearrangement of channels into pixels.
  mutating func addDepthToSpace(
    _ node: OperationGraph.Node, _ block: Size, interleaved: Bool
  ) throws {
    let source = try blocked(node.inputs[0])
    let target = blockedResult(node.output)
    var arguments = forge_depth_to_space_arguments()
    arguments.block_y = Int32(clamping: block.height)
    arguments.block_x = Int32(clamping: block.width)
    arguments.interleaved = interleaved ? 1 : 0
    addStep(
      "depthToSpace", kernels.depth_to_space, arguments, tiles: forge_depth_to_space_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds a rearrangement of pixels into channels.
  mutating func addSpaceToDepth(_ node: OperationGraph.Node, _ block: Size) throws {
    let source = try blocked(node.inputs[0])
    let target = blockedResult(node.output)
    var arguments = forge_space_to_depth_arguments()
    arguments.block_y = Int32(clamping: block.height)
    arguments.block_x = Int32(clamping: block.width)
    addStep(
      "spaceToDepth", kernels.space_to_depth, arguments, tiles: forge_space_to_depth_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}
