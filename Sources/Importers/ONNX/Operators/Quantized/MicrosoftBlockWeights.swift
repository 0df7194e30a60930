import Forge

extension ONNXOperators {
  /// Products with weights of few bits, each block of which has a scale.
  static let blockWeights: [ONNXOperator] = [
    ONNXOperator(
      "MatMulNBits", domain: microsoft, import: multiply, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in [try node.apart(from: [try node.rank(0) - 1])] })
  ]

  /// `y = A · W' + bias`, where `W` [N, K] is `(q − zero) · scale` by blocks of K.
  ///
  /// `q` are numbers of 2, 4 or 8 bits, the lowest bits of a byte first, [N][blocks][bytes]; scales
  /// are [N][blocks], and zero points are packed as `q` is, each row in whole bytes.
  private static func multiply(_ call: inout ONNXCall) throws {
    try call.refuse([4: "g_idx"])
    let node = call.node
    let (rows, columns) = (node.int("N"), node.int("K"))
    let (bits, block) = (node.int("bits", 4), node.int("block_size"))
    guard [2, 4, 8].contains(bits), block >= 16, rows >= 1, columns >= 1,
      Shape.product(of: [rows, columns]) != nil
    else {
      throw NodeFailure.unsupported("\(bits) bits in blocks of \(block) of \(rows)×\(columns)")
    }
    let blocks = columns.addingSaturated(block - 1) / block
    guard let packed = call.host(1), let scale = call.host(2) else {
      throw NodeFailure.unsupported("weights computed at run time")
    }
    let rowBytes = blocks.multipliedSaturated(by: block) * bits / 8
    let zeroBytes = blocks.multipliedSaturated(by: bits).addingSaturated(7) / 8
    guard packed.count == rows.multipliedSaturated(by: rowBytes),
      scale.count == rows.multipliedSaturated(by: blocks)
    else { throw NodeFailure.invalid("\(packed.sizes) weights of \(rows)×\(columns)") }
    let bytes = try packed.integers().map { UInt8(truncatingIfNeeded: $0) }
    let scales = try scale.floats()
    var zeros = [Float](repeating: Float(1 << (bits - 1)), count: scales.count)
    if let stored = call.host(3) {
      if stored.isInteger {
        guard stored.count == rows.multipliedSaturated(by: zeroBytes) else {
          throw NodeFailure.invalid("\(stored.sizes) zero points of \(rows)×\(blocks)")
        }
        let bytes = try stored.integers().map { UInt8(truncatingIfNeeded: $0) }
        for index in zeros.indices {
          zeros[index] = packedNumber(
            bytes, index % blocks, from: index / blocks * zeroBytes, bits: bits)
        }
      } else {
        guard stored.count == scales.count else {
          throw NodeFailure.invalid("\(stored.sizes) zero points of \(rows)×\(blocks)")
        }
        zeros = try stored.floats()
      }
    } else if call.has(3) {
      throw NodeFailure.unsupported("zero points computed at run time")
    }
    let held = try ImportBudget.hold(rows * columns, width: MemoryLayout<Float>.size)
    var weights = HostTensor(
      floats: (0..<rows * columns).map { index in
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        let place = row * blocks + column / block
        let number = packedNumber(bytes, column, from: row * rowBytes, bits: bits)
        return (number - zeros[place]) * scales[place]
      }, sizes: [rows, columns])
    weights.held = held
    guard !call.has(5) || call.host(5) != nil else {
      throw NodeFailure.unsupported("a bias computed at run time")
    }
    // Zero points may be fractions.
    let numbers = zeros.compactMap { UInt8(exactly: $0) }
    let isSmall = bits == 4 && numbers.count == zeros.count && numbers.allSatisfy { $0 < 16 }
    try dense(
      &call, try call.network(0), weights, isTransposed: true, bias: call.host(5),
      blocks: isSmall ? WeightBlocks(size: block, scales: scales, zeros: numbers) : nil)
  }

  /// A number of 2, 4 or 8 bits behind a byte; the lowest bits of a byte come first.
  static func packedNumber(
    _ bytes: [UInt8], _ index: Int, from start: Int = 0, bits: Int
  ) -> Float {
    Float(bytes[start + index * bits / 8] >> UInt8(index * bits % 8) & UInt8((1 << bits) - 1))
  }
}
