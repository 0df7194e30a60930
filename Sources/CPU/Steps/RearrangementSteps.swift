import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a padding: fills the result with zeros, then copies the image into it.
  mutating func addPad(_ node: OperationGraph.Node, _ edges: Edges) throws {
    let source = try blocked(node.inputs[0])
    let target = blockedResult(node.output)
    let sizes = sizes(of: node.inputs[0])
    let middle = addTensor(tensor(target).part(sizes, row: edges.top, column: edges.left))
    addFill(target)
    addCopy(from: source, to: middle)
  }

  /// Adds a crop: a view of the image, or a copy if readers need a border.
  mutating func addCrop(_ node: OperationGraph.Node, _ edges: Edges) throws {
    let source = try blocked(node.inputs[0])
    let window = tensor(source).part(
      sizes(of: node.output), row: edges.top, column: edges.left)
    if convolutions.layout.isView(node.output) {
      setForm(node.output, window)
    } else {
      let part = addTensor(window)
      addCopy(from: part, to: blockedResult(node.output))
    }
  }

  /// Adds a concatenation: copies the operands that were not written in place.
  mutating func addConcatenation(_ node: OperationGraph.Node, axis: Int) throws {
    let rank = sizes(of: node.output).count
    let along = axis < 0 ? axis + rank : axis
    guard isImage(node.output) else {
      try addPlainConcatenation(node, axis: along)
      return
    }
    let sources = try node.inputs.map { try blocked($0) }
    // Operands that were written in place have already created the result.
    let target = blockedForms[node.output] ?? blockedResult(node.output)
    let lanes = PlannedTensor.lanes
    let starts = node.inputs.reduce(into: [0]) { starts, input in
      starts.append((starts.last ?? 0) + sizes(of: input)[along])
    }
    let isAligned = along < 2 || zip(starts, node.inputs).allSatisfy { $0.0.isMultiple(of: lanes) }
    if !isAligned { addFill(target) }
    var written: Set<Value> = []
    for (index, input) in node.inputs.enumerated() {
      let (source, start, sizes) = (sources[index], starts[index], sizes(of: input))
      let slot = convolutions.layout.slots[input]
      if along == 2, slot?.whole == node.output, slot?.channel == start,
        written.insert(input).inserted
      {
        continue
      }
      guard isAligned else {
        addChannelCopy(from: source, to: target, firstChannel: start)
        continue
      }
      let part = addTensor(
        tensor(target).part(
          sizes, row: along == 0 ? start : 0, column: along == 1 ? start : 0,
          channel: along == 2 ? start : 0))
      addCopy(from: source, to: part)
    }
  }

  private mutating func addPlainConcatenation(_ node: OperationGraph.Node, axis: Int) throws {
    let sources = try node.inputs.map { try plain($0) }
    let target = plainResult(node.output)
    let strides = Shape.strides(of: sizes(of: node.output))
    var start = 0
    for (input, source) in zip(node.inputs, sources) {
      let sizes = sizes(of: input)
      addPlainCopy(
        from: source, to: target, sizes: sizes, sourceStrides: Shape.strides(of: sizes),
        targetStrides: strides, targetOffset: start * strides[axis])
      start += sizes[axis]
    }
  }

  /// Adds a reshape: a view of plain memory, or of a blocked row of pixels that becomes a column.
  mutating func addReshape(_ node: OperationGraph.Node) throws {
    if addByteReshape(node) { return }
    let sizes = sizes(of: node.output)
    let layout = convolutions.layout
    if plainForms[node.inputs[0]] == nil, layout.halos[node.output] == .none,
      layout.slots[node.output] == nil, let row = blockedForms[node.inputs[0]],
      let column = tensor(row).column(sizes)
    {
      setForm(node.output, column)
      return
    }
    let source = try plain(node.inputs[0])
    setForm(node.output, tensor(source).reshaped(sizes))
  }

  /// Adds a permutation of axes.
  mutating func addPermute(_ node: OperationGraph.Node, order: [Int]) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let strides = Shape.strides(of: sizes(of: node.inputs[0]))
    let sizes = sizes(of: node.output)
    addPlainCopy(
      from: source, to: target, sizes: sizes, sourceStrides: order.map { strides[$0] },
      targetStrides: Shape.strides(of: sizes))
  }

  /// Adds an order of channels: a view of the image, or a copy.
  mutating func addGather(_ node: OperationGraph.Node, order: [Int]) throws {
    let source = try blocked(node.inputs[0])
    if convolutions.layout.isView(node.output) {
      let whole = tensor(source)
      setForm(
        node.output,
        whole.part(sizes(of: node.output), channel: order.first ?? 0, halo: whole.halo))
      return
    }
    let target = blockedResult(node.output)
    var arguments = forge_gather_channels_arguments()
    arguments.indices = try retain(order.map { Int32(clamping: $0) })
    addStep(
      "gatherChannels", kernels.gather_channels, arguments, tiles: forge_gather_channels_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  private mutating func addFill(_ target: ID) {
    addStep(
      "fill", kernels.fill, forge_fill_arguments(), tiles: forge_fill_tiles,
      writes: [\.out: target])
  }

  private mutating func addCopy(from source: ID, to target: ID) {
    addStep(
      "copy", kernels.copy, forge_copy_arguments(), tiles: forge_copy_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  private mutating func addChannelCopy(from source: ID, to target: ID, firstChannel: Int) {
    var arguments = forge_copy_channels_arguments()
    arguments.first_channel = Int32(clamping: firstChannel)
    addStep(
      "copyChannels", kernels.copy_channels, arguments, tiles: forge_copy_channels_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}
