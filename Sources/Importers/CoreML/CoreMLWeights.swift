import Forge

/// Stored numbers in one of the forms of Core ML (`WeightParams`), which stay in the file.
struct CoreMLWeights {
  private let floats, halves, raw, int8: WireBytes?
  private let quantization: WireFields?

  init(_ fields: WireFields?) throws(ImportError) {
    floats = try fields?.storedFloats(1)
    halves = try fields?.stored(2)
    raw = try fields?.stored(30)
    int8 = try fields?.stored(31)
    quantization = try fields?.message(40)
  }

  /// Whether there are any.
  var isGiven: Bool { floats != nil || halves != nil || raw != nil || int8 != nil }

  /// Whether there is one value, where one or as many as channels may be.
  func isSingle(of channels: Int) -> Bool {
    floats?.count == 4 || halves?.count == 2 || raw?.count == 1 && channels > 8
  }

  /// Whether scales differ along an axis.
  func hasSeveralScales() throws -> Bool {
    try quantization?.message(101)?.floats(1).count ?? 0 > 1
  }

  /// The values with one axis, for a layer whose sizes only its class knows.
  ///
  /// Raw bytes without a quantization stay bytes; of codes that end within a byte the last ones may
  /// not be values.
  ///
  /// - Throws: ``NodeFailure``.
  func stored() throws -> StoredTensor {
    if let raw, floats == nil, halves == nil, int8 == nil {
      let bits = try quantization?.int(1) ?? 8
      guard (1...8).contains(bits) else { throw NodeFailure.invalid("weights of \(bits) bits") }
      if quantization == nil {
        return try HostTensor(type: .uint8, sizes: [raw.count], storage: .stored(raw.bytes))
          .stored()
      }
      return try tensor([raw.count.multipliedSaturated(by: 8) / bits]).stored()
    }
    let count = (floats?.count ?? 0) / 4 + (halves?.count ?? 0) / 2
    return try tensor([count]).stored()
  }

  /// The stored values as a tensor; half-precision and quantized ones stay as they are stored.
  ///
  /// - Parameters:
  ///   - sizes: the sizes, outermost first.
  ///   - axis: the axis along which scales and biases of a quantization differ, if there are
  ///     several.
  /// - Returns: the tensor, whose values are decoded when they are needed.
  /// - Throws: ``NodeFailure``.
  func tensor(_ sizes: [Int], quantizedAlong axis: Int = 0) throws -> HostTensor {
    guard let count = Shape.product(of: sizes), count > 0 else {
      throw NodeFailure.invalid("weights of sizes \(sizes)")
    }
    func check(_ received: Int, _ what: String, _ needed: Int) throws {
      guard received == needed else {
        throw NodeFailure.invalid(
          "\(received) \(what) of weights where \(needed) are needed for sizes \(sizes)")
      }
    }
    let given = [floats, halves, raw, int8].compactMap { $0 }
    guard given.count == 1 else {
      throw NodeFailure.invalid(
        given.isEmpty ? "weights without values" : "weights in several forms")
    }
    if let floats {
      try check(floats.count / 4, "values", count)
      return HostTensor(type: .float32, sizes: sizes, storage: .stored(floats.bytes))
    }
    if let halves {
      try check(halves.count, "bytes", 2 * count)
      return HostTensor(type: .float16, sizes: sizes, storage: .stored(halves.bytes))
    }
    if let int8 { return try integers(int8, sizes) }
    guard let raw else { throw NodeFailure.invalid("weights without values") }
    let bits = try quantization?.int(1) ?? 0
    guard let quantization, (1...8).contains(bits) else {
      throw NodeFailure.invalid("raw weights of \(bits) bits")
    }
    try check(raw.count, "bytes", (count * bits + 7) / 8)
    // Scales per channel repeat along the axes behind it.
    let run = sizes[(axis + 1)...].reduce(1, *)
    let channels = sizes[axis]
    let codes: CoreMLQuantizedBytes.Codes
    switch quantization.last(where: { [101, 102].contains($0) }) {
    case 101:
      let linear = try quantization.message(101)
      let scales = try linear?.floats(1) ?? []
      var biases = try linear?.floats(2) ?? []
      if biases.isEmpty { biases = [0] }
      guard [1, channels].contains(scales.count), [1, channels].contains(biases.count) else {
        throw NodeFailure.invalid(
          "\(scales.count) scales and \(biases.count) biases for \(channels) channels")
      }
      codes = .linear(scales: scales, biases: biases, run: run)
    case 102:
      let table = try quantization.message(102)?.floats(1) ?? []
      try check(table.count, "values of a table", 1 << bits)
      codes = .table(table)
    default: throw NodeFailure.invalid("raw weights without a quantization")
    }
    return HostTensor(
      type: .float32, sizes: sizes,
      storage: .stored(
        CoreMLQuantizedBytes(data: raw.bytes, count: count, bits: bits, codes: codes)))
  }
}

extension CoreMLWeights {
  /// Signed integers of 8 bits, of which only products with integers make use: `scale · integer`.
  private func integers(_ stored: WireBytes, _ sizes: [Int]) throws -> HostTensor {
    let scale = try int8Scale()
    guard stored.count == sizes.reduce(1, *) else {
      throw NodeFailure.invalid("\(stored.count) integers of weights of sizes \(sizes)")
    }
    var tensor = HostTensor(
      type: .float32, sizes: sizes,
      storage: .stored(CoreMLScaledIntegers(data: stored.bytes, scale: scale)))
    tensor.scales = [scale]
    return tensor
  }

  /// The only scale of signed integers of 8 bits.
  private func int8Scale() throws -> Float {
    let linear = try quantization?.message(101)
    let scales = try linear?.floats(1) ?? []
    guard try quantization?.int(1) ?? 8 == 8, scales.count == 1, let scale = scales.first,
      try linear?.floats(2).isEmpty ?? true, scale.isNormal, scale > 0
    else {
      throw NodeFailure.invalid("\(scales.count) scales of signed integers of 8 bits")
    }
    return scale
  }
}

/// Signed integers of 8 bits times a scale.
private struct CoreMLScaledIntegers: StoredBytes {
  let data: any StoredBytes
  let scale: Float

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    let values = try data.withBytes { bytes in bytes.map { Float(Int8(bitPattern: $0)) * scale } }
    return try values.withUnsafeBytes(body)
  }
}

/// Codes of one to eight bits, the highest bits of a byte first, which become Float32 when they are
/// needed.
private struct CoreMLQuantizedBytes: StoredBytes {
  /// What the codes mean.
  enum Codes: Sendable {
    /// `scale · code + bias`, with one number for all or one for each channel of `run` values.
    case linear(scales: [Float], biases: [Float], run: Int)
    /// The number at this place.
    case table([Float])
  }

  let data: any StoredBytes
  let count: Int
  let bits: Int
  let codes: Codes

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    let values = try data.withBytes { bytes in
      (0..<count).map { index -> Float in
        let code = code(bytes, at: index)
        switch codes {
        case .table(let table): return table[code]
        case .linear(let scales, let biases, let run):
          let channel = index / run
          let scale = scales[scales.count == 1 ? 0 : channel % scales.count]
          return scale * Float(code) + biases[biases.count == 1 ? 0 : channel % biases.count]
        }
      }
    }
    return try values.withUnsafeBytes(body)
  }

  /// The code at a place; `bytes` holds all of them.
  private func code(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let (byte, offset) = (index * bits / 8, index * bits % 8)
    let next = byte + 1 < bytes.count ? Int(bytes[byte + 1]) : 0
    let pair = Int(bytes[byte]) << 8 | next
    return pair >> (16 - offset - bits) & ((1 << bits) - 1)
  }
}
