import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension PlanBuilder {
  /// Adds attention on blocked images: one step, with scratch memory for each thread.
  ///
  /// Keys and values of a stream are read from their tables, as they are kept.
  mutating func addAttention(_ node: OperationGraph.Node, _ rule: AttentionRule) throws {
    let queries = try blocked(node.inputs[0])
    let keys = rule.hasPosition ? try table(node.inputs[1]) : try blocked(node.inputs[1])
    let values = rule.hasPosition ? try table(node.inputs[2]) : try blocked(node.inputs[2])
    let position = rule.hasPosition ? try plain(node.inputs[node.inputs.count - 1]) : nil
    let mask = rule.mask == .none ? nil : try plain(node.inputs[3])
    let target = blockedResult(node.output)
    var arguments = forge_attention_arguments()
    arguments.queries = forge_view(tensor(queries))
    arguments.keys = forge_view(tensor(keys))
    arguments.values = forge_view(tensor(values))
    (arguments.heads, arguments.groups) = (Int32(rule.heads), Int32(rule.groups))
    arguments.has_position = rule.hasPosition ? 1 : 0
    let lanes = PlannedTensor.lanes
    arguments.key_step = Int64(rule.hasPosition ? tensor(keys).channels : lanes)
    arguments.value_step = Int64(rule.hasPosition ? tensor(values).channels : lanes)
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
      let all = Shape.strides(of: sizes, broadcastTo: [0, 0, 0, 0]).map { Int64($0) }
      (arguments.mask_row, arguments.mask_head) = (all[0], all[1])
      (arguments.mask_query, arguments.mask_key) = (all[2], all[3])
      let kind = rule.mask == .added ? FORGE_ATTENTION_ADDED : FORGE_ATTENTION_VISIBLE
      arguments.mask_kind = Int32(kind.rawValue)
    }
    let scratch = workerScratch(count: Int(forge_attention_scratch_floats(&arguments)))
    let operation = node.primitive
    let shapes = node.inputs.map { graph.shape(of: $0) }
    addStep(
      operation.name, kernels.attention, arguments, tiles: forge_attention_tiles,
      reads: [
        \.queries: queries, \.keys: keys, \.values: values, \.mask: mask, \.position: position,
      ],
      writes: [\.out: target, \.scratch: scratch],
      multiplyAdds: operation.traits.multiplyAdds.count(
        for: shapes, output: graph.shape(of: node.output))
    ) { arguments, places in
      arguments.scratch_worker = Int64(places.workerScratchCount)
      guard rule.hasPosition else { return }
      arguments.keys.block_stride = Int64(lanes)
      arguments.values.block_stride = Int64(lanes)
    }
  }

  /// Returns a table [positions][channels] as a plain image of one row.
  mutating func table(_ value: Value) throws -> ID {
    let whole = try plain(value)
    return addTensor(tensor(whole).reshaped([1] + sizes(of: value)))
  }

  /// Adds rows to a table: in place if the table is a state that only grows, else to a copy.
  mutating func addAppendedRows(_ node: OperationGraph.Node) throws {
    let image = try blocked(node.inputs[1])
    let position = try plain(node.inputs[2])
    let source = try plain(node.inputs[0])
    if appendedInPlace[node.output] != nil {
      setForm(node.output, tensor(source))
    } else {
      let sizes = sizes(of: node.output)
      addPlainCopy(
        from: source, to: plainResult(node.output), sizes: sizes,
        sourceStrides: Shape.strides(of: sizes), targetStrides: Shape.strides(of: sizes))
    }
    addStep(
      node.primitive.name, kernels.append_rows, forge_append_rows_arguments(),
      tiles: forge_append_rows_tiles, reads: [\.in: image, \.position: position],
      writes: [\.out: try table(node.output)])
  }

  /// Adds the rows of a table from a position on.
  mutating func addRowsFrom(_ node: OperationGraph.Node) throws {
    let source = try table(node.inputs[0])
    let position = try plain(node.inputs[2])
    addStep(
      node.primitive.name, kernels.rows_from, forge_rows_from_arguments(),
      tiles: forge_rows_from_tiles, reads: [\.in: source, \.position: position],
      writes: [\.out: blockedResult(node.output)])
  }

  /// Adds the sum of a position and the columns of an image.
  mutating func addAdvance(_ node: OperationGraph.Node) throws {
    let source = try plain(node.inputs[0])
    var arguments = forge_advance_arguments()
    arguments.count = Int64(sizes(of: node.inputs[1])[1])
    addStep(
      node.primitive.name, kernels.advance, arguments, tiles: forge_advance_tiles,
      reads: [\.in: source], writes: [\.out: plainResult(node.output)])
  }
}
