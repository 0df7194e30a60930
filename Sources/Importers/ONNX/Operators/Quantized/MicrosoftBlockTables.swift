import Forge

extension ONNXOperators {
  /// Tables of few bits, each block of which has a scale.
  static let blockTables: [ONNXOperator] = [
    ONNXOperator(
      "GatherBlockQuantized", domain: microsoft, import: blockTable, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.gather, arguments: []))
  ]

  /// `Gather` of the real numbers `(q − zero) · scale` of a table of bytes.
  ///
  /// Of 4 bits, a byte holds two neighbors of the last axis, the lowest bits first. Scales and zero
  /// points are those of blocks along `quantize_axis`; zero points that are absent stand in the
  /// middle of the range.
  private static func blockTable(_ call: inout ONNXCall) throws {
    let node = call.node
    guard let packed = call.host(0), let scale = call.host(2), !call.has(3) || call.host(3) != nil
    else { throw NodeFailure.unsupported("a table computed at run time") }
    let (bits, block) = (node.int("bits", 4), node.int("block_size", 128))
    guard packed.type == .uint8, [4, 8].contains(bits), block >= 16, let bytes = packed.sizes.last
    else {
      throw NodeFailure.unsupported(
        "\(bits) bits in blocks of \(block) of \(packed.type.rawValue)")
    }
    var sizes = packed.sizes
    sizes[sizes.count - 1] = bytes.multipliedSaturated(by: 8 / bits)
    let rank = sizes.count
    let axis = try ONNXCall.axis(node.int("quantize_axis", 1), rank: rank)
    var blocks = sizes
    blocks[axis] = sizes[axis].addingSaturated(block - 1) / block
    guard scale.sizes == blocks, let count = Shape.product(of: sizes) else {
      throw NodeFailure.invalid("scales \(scale.sizes) of \(sizes) in blocks of \(block)")
    }
    let integers = try packed.integers().map { UInt8(truncatingIfNeeded: $0) }
    let scales = try scale.floats()
    let zeros = try self.zeros(call.host(3), blocks: blocks, bits: bits)
    let held = try ImportBudget.hold(count, width: MemoryLayout<Float>.size)
    let inner = sizes[(axis + 1)...].reduce(1, *)
    var table = HostTensor(
      floats: (0..<count).map { index in
        let (outer, place) = (index / inner / sizes[axis], index / inner % sizes[axis])
        let entry = (outer * blocks[axis] + place / block) * inner + index % inner
        return (packedNumber(integers, index, bits: bits) - zeros[entry]) * scales[entry]
      }, sizes: sizes)
    table.held = held
    call.set(
      try call.part(
        "Gather", [.host(table), try call.value(1)], ["axis": .int(node.int("gather_axis"))],
        name: call.outputName))
  }

  /// The zero points of the blocks, packed along the last axis as the table is.
  private static func zeros(
    _ stored: HostTensor?, blocks: [Int], bits: Int
  ) throws -> [Float] {
    let count = blocks.reduce(1, *)
    guard let stored else { return Array(repeating: Float(1 << (bits - 1)), count: count) }
    guard let last = blocks.last else { return [] }
    let packed = (last * bits + 7) / 8
    guard stored.type == .uint8, stored.sizes == Array(blocks.dropLast()) + [packed] else {
      throw NodeFailure.invalid("zero points \(stored.sizes) of \(blocks) blocks")
    }
    let bytes = try stored.integers().map { UInt8(truncatingIfNeeded: $0) }
    return (0..<count).map { index in
      let row = index / last
      return packedNumber(bytes, index % last, from: row * packed, bits: bits)
    }
  }
}
