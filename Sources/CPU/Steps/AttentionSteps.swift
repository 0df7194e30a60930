import CForgeKernels
import ForgeOperations

extension PlanBuilder {
  /// Adds attention on blocked images: one step, with scratch memory for each thread.
  mutating func addAttention(_ node: OperationGraph.Node, _ rule: AttentionRule) throws {
    let queries = try blocked(node.inputs[0])
    let keys = try blocked(node.inputs[1])
    let values = try blocked(node.inputs[2])
    let mask = node.inputs.count > 3 ? try plain(node.inputs[3]) : nil
    let target = blockedResult(node.output)
    var arguments = forge_attention_arguments()
    arguments.queries = forge_view(tensor(queries))
    arguments.keys = forge_view(tensor(keys))
    arguments.values = forge_view(tensor(values))
    (arguments.heads, arguments.groups) = (Int32(rule.heads), Int32(rule.groups))
    let channels = tensor(queries).channels / rule.heads
    arguments.scale = rule.scale ?? 1 / Float(channels).squareRoot()
    arguments.cap = rule.cap ?? 0
    if let offset = rule.causalOffset {
      arguments.is_causal = 1
      // A larger one hides nothing either.
      arguments.causal_offset = Int64(min(max(offset, -(1 << 40)), 1 << 40))
    }
    if let mask {
      let sizes = tensor(mask).sizes
      let strides = zip(sizes, Self.strides(sizes)).map { Int64($0 == 1 ? 0 : $1) }
      let all = Array(repeating: 0, count: 4 - strides.count) + strides
      (arguments.mask_row, arguments.mask_head) = (all[0], all[1])
      (arguments.mask_query, arguments.mask_key) = (all[2], all[3])
      let kind = rule.mask == .added ? FORGE_ATTENTION_ADDED : FORGE_ATTENTION_VISIBLE
      arguments.mask_kind = Int32(kind.rawValue)
    }
    arguments.scratch_worker = forge_attention_scratch_floats(&arguments)
    let scratch = addPlain([Int(arguments.scratch_worker) * settings.threads])
    let operation = node.primitive
    let shapes = node.inputs.map { graph.shape(of: $0) }
    addStep(
      operation.name, kernels.attention, arguments, tiles: forge_attention_tiles,
      reads: [\.queries: queries, \.keys: keys, \.values: values, \.mask: mask],
      writes: [\.out: target, \.scratch: scratch],
      multiplyAdds: operation.traits.multiplyAdds.count(
        for: shapes, output: graph.shape(of: node.output)))
  }
}
