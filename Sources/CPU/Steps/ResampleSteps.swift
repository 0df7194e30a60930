import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a resampling: a step for each axis that changes, those that shrink most first.
  mutating func addResampling(_ node: OperationGraph.Node, _ resampling: Resampling) throws {
    var source = try plain(node.inputs[0])
    var sizes = sizes(of: node.inputs[0])
    let output = self.sizes(of: node.output)
    let axes = output.indices
      .filter { !resampling.keeps(axis: $0, input: sizes[$0], output: output[$0]) }
      .sorted { output[$0] * sizes[$1] < output[$1] * sizes[$0] }
    guard let last = axes.last else {
      let target = plainResult(node.output)
      let strides = Shape.strides(of: sizes)
      addPlainCopy(
        from: source, to: target, sizes: sizes, sourceStrides: strides, targetStrides: strides)
      return
    }
    for axis in axes {
      let spans = resampling.spans(axis: axis, input: sizes[axis], output: output[axis])
      var arguments = forge_resample_arguments()
      arguments.outer = Int64(sizes[..<axis].reduce(1, *))
      arguments.in_size = Int64(sizes[axis])
      arguments.out_size = Int64(output[axis])
      arguments.inner = Int64(sizes[(axis + 1)...].reduce(1, *))
      sizes[axis] = output[axis]
      let target = axis == last ? plainResult(node.output) : addPlain(sizes)
      var offset: Int64 = 0
      var offsets: [Int64] = []
      for span in spans {
        offsets.append(offset)
        offset += Int64(span.weights.count)
      }
      arguments.firsts = try retain(spans.map { Int32(clamping: $0.first) })
      arguments.counts = try retain(spans.map { Int32(clamping: $0.weights.count) })
      arguments.offsets = try retain(offsets)
      arguments.weights = try retain(spans.flatMap { $0.weights.map { Float($0) } })
      addStep(
        "resample", kernels.resample, arguments, tiles: forge_resample_tiles,
        reads: [\.in: source], writes: [\.out: target])
      source = target
    }
  }
}
