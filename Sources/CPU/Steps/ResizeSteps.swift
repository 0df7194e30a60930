import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a resize, which reads the caller's memory directly if the image is plain.
  mutating func addResize(
    _ node: OperationGraph.Node, _ target: ResizeTarget, _ mode: ResizeMode
  ) throws {
    let value = node.inputs[0]
    let isPlain = plainForms[value] != nil
    let source = isPlain ? try plain(value) : try blocked(value)
    let result = blockedResult(node.output)
    let (input, output) = (tensor(source), tensor(result))
    let count = forge_resize_scratch(
      Int32(clamping: input.height), Int32(clamping: input.width), Int32(clamping: input.channels),
      Int32(clamping: output.height), Int32(clamping: output.width))
    var arguments = forge_resize_arguments()
    let code =
      switch mode {
      case .nearest: FORGE_RESIZE_NEAREST
      case .bilinear: FORGE_RESIZE_BILINEAR
      case .bilinearAntialiased: FORGE_RESIZE_ANTIALIASED
      }
    arguments.mode = Int32(code.rawValue)
    arguments.in_is_plain = isPlain ? 1 : 0
    arguments.crop_slot = -1
    if case .size(_, let name?) = target {
      arguments.crop_slot = Int32(addCropSlot(name, image: value))
    }
    addStep(
      "resize", kernels.resize, arguments, tiles: forge_resize_tiles, reads: [\.in: source],
      writes: [\.out: result, \.scratch: addPlain([Int(count)])])
  }
}
