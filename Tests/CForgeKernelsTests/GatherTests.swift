import CForgeKernels
import Testing

/// A number type that files hold: its bytes, and the float that each pattern of bits stands for, by the
/// type's definition.
private struct StoredType: Sendable, CustomStringConvertible {
  var type: forge_stored_type
  var byteCount: Int
  var description: String

  static let float32 = StoredType(type: FORGE_STORED_FLOAT32, byteCount: 4, description: "float32")
  static let float16 = StoredType(type: FORGE_STORED_FLOAT16, byteCount: 2, description: "float16")
  static let bfloat16 = StoredType(
    type: FORGE_STORED_BFLOAT16, byteCount: 2, description: "bfloat16")
  static let float64 = StoredType(type: FORGE_STORED_FLOAT64, byteCount: 8, description: "float64")
  static let all = [float32, float16, bfloat16, float64]

  /// The bits of the float, or nil for a NaN.
  func float(_ bits: UInt64) -> UInt32? {
    let (exponentBits, fractionBits) =
      switch type {
      case FORGE_STORED_FLOAT32, FORGE_STORED_BFLOAT16: (8, type == FORGE_STORED_FLOAT32 ? 23 : 7)
      case FORGE_STORED_FLOAT16: (5, 10)
      default: (11, 52)
      }
    let fraction = bits & (1 << fractionBits - 1)
    let exponent = Int(bits >> fractionBits & (1 << exponentBits - 1))
    let sign = bits >> (exponentBits + fractionBits) & 1
    let bias = 1 << (exponentBits - 1) - 1
    if exponent == 1 << exponentBits - 1 {
      return fraction == 0 ? UInt32(sign) << 31 | 0x7f80_0000 : nil
    }
    // Exact in doubles, then rounded once.
    let scale = exponent == 0 ? 1 - bias - fractionBits : exponent - bias - fractionBits
    let digits = exponent == 0 ? fraction : fraction | 1 << fractionBits
    // In two steps: the power alone may be too small for a double.
    let magnitude =
      Double(digits) * Double(sign: .plus, exponent: scale / 2, significand: 1)
      * Double(sign: .plus, exponent: scale - scale / 2, significand: 1)
    return Float(sign == 1 ? -magnitude : magnitude).bitPattern
  }

  /// Patterns of every kind: random ones, and those at the edges.
  func patterns(_ count: Int, seed: UInt64) -> [UInt64] {
    var random = SeededGenerator(seed: seed)
    let mask = byteCount == 8 ? UInt64.max : 1 << UInt64(byteCount * 8) - 1
    return (0..<count).map { _ in random.next() & mask }
  }

  func bytes(_ patterns: [UInt64]) -> [UInt8] {
    patterns.flatMap { pattern in (0..<byteCount).map { UInt8(pattern >> UInt64(8 * $0) & 255) } }
  }
}

private func contiguous(_ sizes: [Int]) -> [Int] {
  var strides = [Int](repeating: 1, count: sizes.count)
  for axis in sizes.indices.dropLast().reversed() {
    strides[axis] = strides[axis + 1] * sizes[axis + 1]
  }
  return strides
}

/// Gathers from memory at an odd address, with canaries around the result; `start` is the element that
/// index 0 is.
private func gather(
  _ type: StoredType, _ patterns: [UInt64], start: Int = 0, sizes: [Int], strides: [Int]
) -> [UInt32] {
  let count = sizes.reduce(1, *)
  let out = Buffer(count: count + 32)
  ([0xff] + type.bytes(patterns)).withUnsafeBytes { bytes in
    forge_gather(
      bytes.baseAddress.map { $0 + 1 + start * type.byteCount }, Int32(type.type.rawValue),
      Int32(sizes.count), sizes.map(Int64.init), strides.map(Int64.init), out.pointer + 16, 1)
  }
  let around = Array(0..<16) + Array(count + 16..<count + 32)
  #expect(around.allSatisfy { out.pointer[$0].bitPattern == canary }, "around the result")
  return Array(out.bits[16..<16 + count])
}

/// Checks a gathering of random numbers element by element.
private func check(
  _ type: StoredType, sizes: [Int], strides: [Int], start: Int = 0,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  // As many as the strides can reach, on either side.
  let reach = zip(sizes, strides).map { max(0, $0 - 1) * $1 }
  let patterns = type.patterns(start + 1 + reach.filter { $0 > 0 }.reduce(0, +), seed: 5)
  let made = gather(type, patterns, start: start, sizes: sizes, strides: strides)
  var wrong: [String] = []
  var index = [Int](repeating: 0, count: sizes.count)
  for (i, bits) in made.enumerated() {
    let from = start + zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 }
    let isRight =
      type.float(patterns[from]).map { $0 == bits } ?? Float(bitPattern: bits).isNaN
    if !isRight { wrong.append("\(index), element \(i): \(Float(bitPattern: bits))") }
    for axis in sizes.indices.reversed() {
      index[axis] += 1
      if index[axis] < sizes[axis] { break }
      index[axis] = 0
    }
  }
  #expect(
    wrong.isEmpty, "\(type), sizes \(sizes), strides \(strides): \(wrong.first ?? "")",
    sourceLocation: sourceLocation)
}

/// Stored parameters gathered into Forge's axis order.
@Suite struct GatherTests {
  @Test("ranks 0 to 8, in order", arguments: StoredType.all)
  fileprivate func ranks(type: StoredType) {
    for sizes in [
      [], [1], [7], [3, 5], [2, 3, 4], [1, 3, 1, 5], [2, 1, 3, 2, 2], [2, 1, 2, 3, 1, 2],
      [1, 2, 2, 1, 2, 2, 2], [2, 2, 1, 2, 3, 1, 2, 2], [17, 33], [16, 16], [31, 2, 47],
    ] {
      check(type, sizes: sizes, strides: contiguous(sizes))
    }
  }

  @Test("axes in another order", arguments: StoredType.all)
  fileprivate func permuted(type: StoredType) {
    let sizes = [3, 4, 5, 18]
    let strides = contiguous(sizes)
    for first in 0..<4 {
      for second in 0..<4 where second != first {
        let rest = (0..<4).filter { $0 != first && $0 != second }
        for order in [[first, second] + rest, [first, second] + rest.reversed()] {
          check(type, sizes: order.map { sizes[$0] }, strides: order.map { strides[$0] })
        }
      }
    }
    // Rank 8, backwards.
    let many = [2, 1, 3, 2, 1, 2, 3, 2]
    check(type, sizes: many.reversed(), strides: contiguous(many).reversed())
  }

  @Test("part of a tensor, repeated axes, and backwards", arguments: StoredType.all)
  fileprivate func strides(type: StoredType) {
    check(type, sizes: [4, 5], strides: [23, 3])
    check(type, sizes: [4, 5], strides: [23, 3], start: 11)
    check(type, sizes: [4, 5], strides: [0, 1])
    check(type, sizes: [4, 5], strides: [1, 0])
    check(type, sizes: [3, 4, 5], strides: [0, 0, 0], start: 2)
    check(type, sizes: [20, 3, 19], strides: [1, 0, 20])
    check(type, sizes: [5], strides: [-1], start: 4)
    check(type, sizes: [4, 5], strides: [-5, 1], start: 15)
    check(type, sizes: [18, 2, 17], strides: [17, 400, -1], start: 16)
  }

  @Test("an empty tensor writes nothing", arguments: StoredType.all)
  fileprivate func empty(type: StoredType) {
    for sizes in [[0], [0, 3], [3, 0], [2, 0, 2]] {
      #expect(gather(type, [0], sizes: sizes, strides: contiguous(sizes)).isEmpty)
    }
  }

  @Test("an unknown type writes nothing")
  func unknown() {
    for type in [-1, 4, .max] as [Int32] {
      let out = Buffer(count: 3)
      forge_gather([1, 2, 3] as [Float], type, 1, [3], [1], out.pointer, 1)
      #expect(out.bits.allSatisfy { $0 == canary })
    }
  }

  @Test("every float16 and bfloat16 value", arguments: [StoredType.float16, .bfloat16])
  fileprivate func everyPattern(type: StoredType) {
    let patterns = (0...UInt64(UInt16.max)).map { $0 }
    let made = gather(type, patterns, sizes: [patterns.count], strides: [1])
    var (wrong, nans) = (0, 0)
    for (pattern, bits) in zip(patterns, made) {
      if let wanted = type.float(pattern) {
        wrong += wanted == bits ? 0 : 1
      } else {
        // A NaN keeps its sign.
        nans += 1
        wrong += Float(bitPattern: bits).isNaN && bits >> 31 == UInt32(pattern >> 15) ? 0 : 1
      }
    }
    #expect(wrong == 0)
    #expect(nans == (type.type == FORGE_STORED_FLOAT16 ? 2 * 1023 : 2 * 127))
  }

  @Test("float16 values match Swift")
  func knownHalves() {
    let known: [(UInt64, Float)] = [
      (0x0000, 0), (0x8000, -0.0), (0x0001, 0x1p-24), (0x8001, -0x1p-24), (0x03ff, 0x1.ff8p-15),
      (0x0400, 0x1p-14), (0x3c00, 1), (0x3c01, 1 + 0x1p-10), (0xc000, -2), (0x7bff, 65504),
      (0x7c00, .infinity), (0xfc00, -.infinity), (0x3555, 0.333251953125),
    ]
    let made = gather(.float16, known.map(\.0), sizes: [known.count], strides: [1])
    #expect(made == known.map(\.1.bitPattern))
  }

  @Test("single floats keep every bit, NaNs among them")
  func singles() {
    let patterns: [UInt64] = [
      0, 0x8000_0000, 1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000,
      0xff80_0000, 0x7f80_0001, 0xffc0_1234, 0x7fc0_0000,
    ]
    let made = gather(.float32, patterns, sizes: [patterns.count], strides: [1])
    #expect(made == patterns.map(UInt32.init))
  }

  @Test("doubles are rounded to the nearest, ties to even")
  func doubles() {
    let known: [(Double, Float)] = [
      (0.1, 0x1.99999ap-4), (1 + 0x1p-24, 1), (1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-23),
      (1 + 3 * 0x1p-24, 1 + 0x1p-22), (-1 - 0x1p-25, -1), (-0.0, -0.0),
      (0x1.fffffep127, .greatestFiniteMagnitude), (0x1.fffffefffffffp127, .greatestFiniteMagnitude),
      (0x1.ffffffp127, .infinity), (-1e300, -.infinity), (.infinity, .infinity),
      (0x1p-126, .leastNormalMagnitude), (0x1p-149, .leastNonzeroMagnitude), (0x1p-150, 0),
      (0x1.0000000000001p-150, .leastNonzeroMagnitude), (-Double.leastNonzeroMagnitude, -0.0),
    ]
    let made = gather(.float64, known.map(\.0.bitPattern), sizes: [known.count], strides: [1])
    #expect(made == known.map(\.1.bitPattern))
    let nans = gather(
      .float64, [Double.nan.bitPattern, (-Double.nan).bitPattern, 0x7ff0_0000_0000_0001],
      sizes: [3], strides: [1])
    #expect(nans.allSatisfy { Float(bitPattern: $0).isNaN })
  }
}
