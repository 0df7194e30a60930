import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a resize, which reads the caller's memory directly if the image is plain.
  mutating func addResize(
    _ node: OperationGraph.Node, _ target: ResizeTarget, _ mode: ResizeMode
  ) throws {
    let value = node.inputs[0]
    let isPlain = hasPlainForm(value)
    let source = isPlain ? try plain(value) : try blocked(value)
    let result = blockedResult(node.output)
    let slot: Int? =
      if case .size(_, let name?) = target { cropSlot(name, image: value) } else { nil }
    let (input, output) = (tensor(source), tensor(result))
    let count = forge_resize_scratch(
      Int32(clamping: input.height), Int32(clamping: input.width), Int32(clamping: input.channels),
      Int32(clamping: output.height), Int32(clamping: output.width))
    let scratch = addPlain([Int(count)])
    let code =
      switch mode {
      case .nearest: FORGE_RESIZE_NEAREST
      case .bilinear: FORGE_RESIZE_BILINEAR
      case .bilinearAntialiased: FORGE_RESIZE_ANTIALIASED
      }
    let run = require(kernels.resize)
    addStep("resize", reads: [source], writes: [result, scratch]) { places in
      var arguments = forge_resize_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(result)
      arguments.in_is_plain = isPlain ? 1 : 0
      arguments.mode = Int32(code.rawValue)
      arguments.crop_slot = slot.map { Int32($0) } ?? -1
      arguments.scratch = places.view(scratch)
      return KernelCall(run, arguments, tiles: forge_resize_tiles)
    }
  }
}
