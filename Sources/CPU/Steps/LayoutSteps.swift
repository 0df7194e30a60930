import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds the conversion of a plain image to a blocked one.
  mutating func addBlock(from source: ID, to target: ID) {
    addStep(
      "block", kernels.block, forge_block_arguments(), tiles: forge_block_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the conversion of a blocked image to a plain one.
  mutating func addUnblock(from source: ID, to target: ID) {
    addStep(
      "unblock", kernels.unblock, forge_unblock_arguments(), tiles: forge_unblock_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the step that writes a model output to the caller's memory.
  mutating func addOutput(_ value: Value, index: Int) throws {
    let target = addPlain(sizes(of: value), base: .output(index))
    if isImage(value), graph.constant(value) == nil, plainForms[value] == nil {
      addUnblock(from: try blocked(value), to: target)
    } else {
      let source = try plain(value)
      let sizes = sizes(of: value)
      addPlainCopy(
        from: source, to: target, sizes: sizes, sourceStrides: Shape.strides(of: sizes),
        targetStrides: Shape.strides(of: sizes))
    }
  }

  /// Adds a copy between plain tensors with arbitrary strides.
  mutating func addPlainCopy(
    from source: ID, to target: ID, sizes: [Int], sourceStrides: [Int], targetStrides: [Int],
    sourceOffset: Int = 0, targetOffset: Int = 0
  ) {
    var arguments = forge_copy_plain_arguments()
    arguments.rank = Int32(sizes.count)
    let order = nextCopyOrder(sizes)
    withUnsafeMutableBytes(of: &arguments.sizes) { $0.store(order.map { sizes[$0] }) }
    withUnsafeMutableBytes(of: &arguments.in_strides) { bytes in
      bytes.store(order.map { sourceStrides[$0] })
    }
    withUnsafeMutableBytes(of: &arguments.out_strides) { bytes in
      bytes.store(order.map { targetStrides[$0] })
    }
    addStep(
      "copy", kernels.copy_plain, arguments, tiles: forge_copy_plain_tiles,
      reads: [\.in: source], writes: [\.out: target]
    ) { arguments, _ in
      arguments.in.offset += Int64(sourceOffset)
      arguments.out.offset += Int64(targetOffset)
    }
  }

  /// The order in which a copy goes through the axes.
  ///
  /// The kernel starts again for each run along the last axis. A short last axis therefore changes
  /// places with the longest one but the first, along which threads share the copy.
  static func copyOrder(_ sizes: [Int]) -> [Int] {
    var order = Array(sizes.indices)
    guard let last = order.last, last > 1, sizes[last] < 16,
      let longest = (1..<last).max(by: { sizes[$0] < sizes[$1] }), sizes[longest] > sizes[last]
    else { return order }
    order.swapAt(longest, last)
    return order
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Stores numbers in a C array of eight 64-bit integers.
  func store(_ numbers: [Int]) {
    for (index, number) in numbers.enumerated() where (index + 1) * 8 <= count {
      storeBytes(of: Int64(number), toByteOffset: index * 8, as: Int64.self)
    }
  }
}
