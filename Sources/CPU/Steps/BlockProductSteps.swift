import CForgeKernels
import ForgeOperations
import ForgeSystem

extension PlanBuilder {
  /// Adds a product with 4-bit weights: the digits of its rows, then the sums.
  mutating func addBlockProduct(
    _ node: OperationGraph.Node, _ product: BlockProduct
  ) throws {
    let source = try blocked(node.inputs[0])
    let image = tensor(source)
    let form = BlockForm(product: product, inputs: image.channels)
    let packed = try packed(node.inputs[1], as: form)
    let biases = try node.bias.flatMap { graph.constant($0) }.map {
      try constants.source.values(of: $0)
    }
    var rows = forge_nibble_digits_arguments()
    rows.group = Int32(product.blocks.size)
    rows.in.height = Int32(clamping: image.height)
    rows.in.width = Int32(clamping: image.width)
    rows.in.channels = Int32(clamping: image.channels)
    let digits = addPlain([Int(forge_nibble_digit_words(&rows))])
    addStep(
      "digits", kernels.nibble_digits, rows, tiles: forge_nibble_digits_tiles,
      parts: image.height * image.width, reads: [\.in: source], writes: [\.digits: digits])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    var arguments = forge_nibble_product_arguments()
    arguments.weights = form.weights(packed)
    arguments.scales = packed
    arguments.zeros = form.zeros(packed)
    arguments.offsets =
      try biases.map {
        try retain($0, count: AlignedMemory.round($0.count, to: PlannedTensor.lanes))
      } ?? nil
    arguments.inputs = Int64(image.channels)
    arguments.group = Int32(product.blocks.size)
    arguments.epilogue = forge_epilogue(node.activation, hasResidual: residual != nil)
    addStep(
      "4-bit product", kernels.nibble_product, arguments, tiles: forge_nibble_product_tiles,
      parts: (product.outputs + PlannedTensor.lanes - 1) / PlannedTensor.lanes,
      reads: [\.digits: digits, \.epilogue.residual: residual], writes: [\.out: target],
      multiplyAdds: tensor(target).count.multipliedSaturated(by: image.channels),
      parameterCount: form.count)
  }
}

/// 4-bit weights: scales and zero points of the blocks, then the weights.
struct BlockForm: PackedForm {
  let product: BlockProduct
  let inputs: Int

  /// The outputs, whole vectors of them.
  private var columns: Int { AlignedMemory.round(product.outputs, to: PlannedTensor.lanes) }
  /// The words of the scales.
  private var scaleCount: Int { columns * product.blocks.count(of: inputs) }
  /// The words before the weights.
  private var weightsStart: Int { scaleCount + AlignedMemory.round((scaleCount + 3) / 4, to: 16) }
  private var weightBytes: Int {
    Int(forge_nibble_bytes(Int64(product.outputs), Int64(inputs), Int32(product.blocks.size)))
  }
  var count: Int { weightsStart + (weightBytes + 3) / MemoryLayout<Float>.stride }

  /// The zero points of the blocks.
  func zeros(_ packed: UnsafePointer<Float>?) -> UnsafePointer<UInt8>? {
    UnsafeRawPointer(packed.map { $0 + scaleCount })?.assumingMemoryBound(to: UInt8.self)
  }

  /// The weights behind the tables.
  func weights(_ packed: UnsafePointer<Float>?) -> UnsafePointer<UInt8>? {
    UnsafeRawPointer(packed.map { $0 + weightsStart })?.assumingMemoryBound(to: UInt8.self)
  }

  func write(_ packing: Packing) -> Bool {
    let values = UnsafeBufferPointer(start: packing.values, count: packing.count)
    let blocks = product.blocks
    guard let numbers = blocks.numbers(values, inputs: inputs) else { return false }
    // Zero points of an output, two in a byte.
    let count = blocks.count(of: inputs)
    let width = (count + 1) / 2
    var zeros = [UInt8](repeating: 0, count: product.outputs * width)
    for (block, zero) in blocks.zeros.enumerated() {
      let (output, place) = block.quotientAndRemainder(dividingBy: count)
      zeros[output * width + place / 2] |= zero << (4 * UInt8(place % 2))
    }
    let memory = packing.memory
    let packedZeros = UnsafeMutableRawPointer(memory + scaleCount)
      .assumingMemoryBound(to: UInt8.self)
    let weights = UnsafeMutableRawPointer(memory + weightsStart)
      .assumingMemoryBound(to: UInt8.self)
    forge_pack_nibbles(
      numbers, blocks.scales, zeros, Int64(product.outputs), Int64(inputs), Int32(blocks.size),
      weights, memory, packedZeros)
    return true
  }
}
