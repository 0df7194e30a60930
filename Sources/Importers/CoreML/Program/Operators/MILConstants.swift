import Forge
import ForgeSystem

extension MILOperators {
  /// Constants, and those that are stored quantized or sparse; they are decoded when a layer needs
  /// them.
  static let constants: [String: Operation] = [
    "const": { call in
      if let packed = try call.packed("val") {
        call.set(.packed(packed))
      } else if let texts = try? call.texts("val") {
        call.set(.texts(texts))
      } else {
        call.set(try call.value("val"))
      }
    },
    "constexpr_cast": { call in
      guard let source = try call.known("source_val") else {
        throw NodeFailure.invalid("no source")
      }
      call.set(.host(source))
    },
    "constexpr_affine_dequantize": { call in
      let data = try numbers(call, "quantized_data")
      let axis = try ONNXCall.axis(try call.int("axis", 0), rank: data.sizes.count)
      func perChannel(_ key: String) throws -> [Float] {
        let values = try call.known(key)?.floats() ?? []
        guard values.count == 1 || values.count == data.sizes[axis] else {
          throw NodeFailure.invalid("\(values.count) numbers \(key) for \(data.sizes)")
        }
        return values
      }
      let (scales, zeros) = (try perChannel("scale"), try perChannel("zero_point"))
      let run = data.sizes[(axis + 1)...].reduce(1, *)
      let channels = data.sizes[axis]
      set(&call, data.sizes, MILWeightHint(scales: scales)) {
        var values = try data.values()
        for index in values.indices {
          let channel = index / run % channels
          values[index] =
            scales[scales.count == 1 ? 0 : channel]
            * (values[index] - zeros[zeros.count == 1 ? 0 : channel])
        }
        return values
      }
    },
    "constexpr_blockwise_shift_scale": { call in
      let data = try numbers(call, "data")
      guard let scale = try call.known("scale"), data.sizes.count == scale.sizes.count,
        zip(data.sizes, scale.sizes).allSatisfy({ $1 > 0 && $0.isMultiple(of: $1) })
      else { throw NodeFailure.invalid("the scales of \(data.sizes)") }
      let offset = try call.known("offset")
      guard offset == nil || offset?.sizes == scale.sizes else {
        throw NodeFailure.invalid("the offsets of \(data.sizes)")
      }
      let hint = MILWeightHint(
        scales: try scale.floats(), offsets: try offset?.floats(), sizes: scale.sizes,
        of: data.sizes, data.bits)
      set(&call, data.sizes, hint) {
        var values = try data.values()
        let (scales, offsets) = (try scale.floats(), try offset?.floats())
        forEachBlock(data.sizes, scale.sizes) { index, block in
          values[index] = scales[block] * (values[index] - (offsets?[block] ?? 0))
        }
        return values
      }
    },
    "constexpr_lut_to_dense": { call in
      if call.has("shape") { try lookUp(&call) } else { try lookUpInBlocks(&call) }
    },
    "constexpr_sparse_to_dense": { call in
      let data = try numbers(call, "nonzero_data")
      let mask: MILPacked
      if let packed = try call.packed("mask") {
        mask = packed
      } else {
        mask = try packed(call, "mask", sizes: try sizes(call), bits: 1)
      }
      let total = try mask.integers().reduce(0, +)
      guard mask.bits == 1, total == data.sizes.reduce(1, *) else {
        throw NodeFailure.invalid("\(total) positions for values \(data.sizes)")
      }
      set(&call, mask.sizes) {
        var rest = try data.values()[...]
        return try mask.integers().map { $0 == 0 ? 0 : rest.popFirst() ?? 0 }
      }
    },
  ]

  /// Numbers that are read when they are needed.
  struct Numbers: Sendable {
    let sizes: [Int]
    /// The bits of an integer and whether it may be negative; `nil` for real numbers.
    var bits: (count: Int, isSigned: Bool)?
    let values: @Sendable () throws -> [Float]
  }

  /// Sets the result to numbers that are computed when they are needed.
  ///
  /// - Parameters:
  ///   - call: the operation.
  ///   - sizes: the sizes of the result.
  ///   - hint: the integers that the numbers stand for, if they do.
  ///   - output: the result.
  ///   - values: returns as many numbers as the sizes have.
  static func set(
    _ call: inout MILCall, _ sizes: [Int], _ hint: MILWeightHint? = nil, output: Int = 0,
    _ values: @escaping @Sendable () throws -> [Float]
  ) {
    let bytes = MILComputedBytes(values: values)
    var tensor = HostTensor(type: .float32, sizes: sizes, storage: .stored(bytes))
    // Otherwise the weights are real numbers, which a table of quantizations may round again.
    tensor.scales = call.quantizes ? hint?.scales : nil
    tensor.blocks = hint?.blocks
    call.set(.host(tensor), output: output)
  }

  /// The numbers of an operand, as they are stored.
  static func numbers(_ call: MILCall, _ key: String) throws -> Numbers {
    if let packed = try call.packed(key) {
      return Numbers(sizes: packed.sizes, bits: (packed.bits, packed.isSigned)) {
        try packed.integers().map { Float($0) }
      }
    }
    guard let tensor = try call.known(key) else { throw NodeFailure.invalid("no operand \(key)") }
    let bits = tensor.type == .int8 ? (8, true) : tensor.type == .uint8 ? (8, false) : nil
    return Numbers(sizes: tensor.sizes, bits: bits) { try tensor.floats() }
  }

  /// The stated sizes of a result.
  private static func sizes(_ call: MILCall) throws -> [Int] {
    let sizes = try call.ints("shape") ?? []
    guard sizes.allSatisfy({ $0 > 0 }), sizes.count <= Shape.maximumRank,
      Shape.product(of: sizes) != nil
    else { throw NodeFailure.invalid("the sizes \(sizes)") }
    return sizes
  }

  /// Bytes as integers of fewer bits.
  private static func packed(
    _ call: MILCall, _ key: String, sizes: [Int], bits: Int
  ) throws -> MILPacked {
    guard let tensor = try call.known(key), tensor.type == .uint8 else {
      throw NodeFailure.invalid("\(key) that is not bytes")
    }
    let needed = MILElement.packed(bits: bits, isSigned: false).byteCount(sizes.reduce(1, *))
    guard tensor.count == needed else {
      throw NodeFailure.invalid("\(tensor.count) bytes \(key) of sizes \(sizes)")
    }
    let bytes: any StoredBytes
    if case .stored(let storedBytes) = tensor.storage {
      bytes = storedBytes
    } else {
      bytes = BytesInMemory(try tensor.integers().map { UInt8(truncatingIfNeeded: $0) })
    }
    return MILPacked(sizes: sizes, bits: bits, isSigned: false, bytes: bytes)
  }

  /// Values by places in one table.
  private static func lookUp(_ call: inout MILCall) throws {
    let table = try numbers(call, "lut")
    let count = table.sizes.reduce(1, *)
    guard let bits = [1, 2, 3, 4, 6, 8].first(where: { count == 1 << $0 }) else {
      throw NodeFailure.invalid("a table of \(count) values")
    }
    let places = try packed(call, "indices", sizes: try sizes(call), bits: bits)
    set(&call, places.sizes) {
      let values = try table.values()
      return try places.integers().map { values[Int($0)] }
    }
  }

  /// Values or vectors by places in a table per block.
  private static func lookUpInBlocks(_ call: inout MILCall) throws {
    let places = try numbers(call, "indices")
    let table = try MILTable(call, of: places.sizes)
    set(&call, table.sizes) { try table.values(try places.values()) }
  }

  /// Calls `body` with the place of each element and that of its block, both row by row.
  static func forEachBlock(
    _ sizes: [Int], _ blocks: [Int], _ body: (Int, Int) -> Void
  ) {
    let lengths = zip(sizes, blocks).map { max($0 / $1, 1) }
    let strides = Shape.strides(of: blocks)
    var index = Array(repeating: 0, count: sizes.count)
    for place in 0..<sizes.reduce(1, *) {
      var block = 0
      for axis in sizes.indices { block += index[axis] / lengths[axis] * strides[axis] }
      body(place, block)
      for axis in sizes.indices.reversed() {
        index[axis] += 1
        if index[axis] < sizes[axis] { break }
        index[axis] = 0
      }
    }
  }
}

/// Float32 numbers that are computed when they are needed.
private struct MILComputedBytes: StoredBytes {
  let values: @Sendable () throws -> [Float]

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    try values().withUnsafeBytes(body)
  }
}
