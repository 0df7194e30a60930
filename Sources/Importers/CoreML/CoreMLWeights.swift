import Forge
import ForgeMessages
import Foundation

extension CoreMLWeights {
  /// The stored values as a tensor; half-precision and quantised ones stay as they are stored.
  ///
  /// - Parameters:
  ///   - sizes: the sizes, outermost first.
  ///   - axis: the axis along which scales and biases of a quantisation differ, if there are
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
    let given = [
      !floatValue.isEmpty, !float16Value.isEmpty, !rawValue.isEmpty, !int8RawValue.isEmpty,
    ]
    guard given.count(where: \.self) == 1 else {
      throw NodeFailure.invalid(
        given.contains(true) ? "weights in several forms" : "weights without values")
    }
    if !floatValue.isEmpty {
      try check(floatValue.count, "values", count)
      return HostTensor(floats: floatValue, sizes: sizes)
    }
    if !float16Value.isEmpty {
      try check(float16Value.count, "bytes", 2 * count)
      return HostTensor(
        type: .float16, sizes: sizes, storage: .stored(CoreMLBytes(data: float16Value)))
    }
    guard int8RawValue.isEmpty else { throw NodeFailure.unsupported("int8RawValue") }
    guard hasQuantization, (1...8).contains(quantization.numberOfBits) else {
      throw NodeFailure.invalid("raw weights of \(quantization.numberOfBits) bits")
    }
    let bits = Int(quantization.numberOfBits)
    try check(rawValue.count, "bytes", (count * bits + 7) / 8)
    // Scales per channel repeat along the axes behind it.
    let run = sizes[(axis + 1)...].reduce(1, *)
    let channels = sizes[axis]
    let codes: CoreMLQuantizedBytes.Codes
    switch quantization.kind {
    case .linear(let linear):
      let biases = linear.bias.isEmpty ? [0] : linear.bias
      guard [1, channels].contains(linear.scale.count), [1, channels].contains(biases.count) else {
        throw NodeFailure.invalid(
          "\(linear.scale.count) scales and \(biases.count) biases for \(channels) channels")
      }
      codes = .linear(scales: linear.scale, biases: biases, run: run)
    case .table(let table):
      try check(table.values.count, "values of a table", 1 << bits)
      codes = .table(table.values)
    case nil: throw NodeFailure.invalid("raw weights without a quantisation")
    }
    return HostTensor(
      type: .float32, sizes: sizes,
      storage: .stored(
        CoreMLQuantizedBytes(data: rawValue, count: count, bits: bits, codes: codes)))
  }
}

/// Bytes of a decoded file.
struct CoreMLBytes: StoredBytes {
  let data: Data

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    try data.withUnsafeBytes(body)
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

  let data: Data
  let count: Int
  let bits: Int
  let codes: Codes

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    let values = data.withUnsafeBytes { bytes in
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
