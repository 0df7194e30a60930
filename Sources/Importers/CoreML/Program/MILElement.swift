import Forge

/// An element type of ML Programs.
enum MILElement: Hashable {
  /// One that Forge has.
  case plain(ElementType)
  /// Integers of other widths, packed from the lowest bit of each byte on.
  case packed(bits: Int, isSigned: Bool)

  /// The type of a number of MIL's `DataType`; `nil` for one that Forge does not read.
  init?(specification number: Int) {
    switch number {
    case 1: self = .plain(.bool)
    case 10: self = .plain(.float16)
    case 11: self = .plain(.float32)
    case 12: self = .plain(.float64)
    case 13: self = .plain(.bfloat16)
    case 21: self = .plain(.int8)
    case 22: self = .packed(bits: 16, isSigned: true)
    case 23: self = .plain(.int32)
    case 24: self = .plain(.int64)
    case 25: self = .packed(bits: 4, isSigned: true)
    case 31: self = .plain(.uint8)
    case 32: self = .packed(bits: 16, isSigned: false)
    case 33: self = .packed(bits: 32, isSigned: false)
    case 35: self = .packed(bits: 4, isSigned: false)
    case 36: self = .packed(bits: 2, isSigned: false)
    case 37: self = .packed(bits: 1, isSigned: false)
    case 38: self = .packed(bits: 6, isSigned: false)
    case 39: self = .packed(bits: 3, isSigned: false)
    default: return nil
    }
  }

  /// The type of a number in the weight file; `nil` for one that Forge does not read.
  init?(storage number: UInt32) {
    let specification = [
      10, 11, 31, 21, 13, 22, 32, 25, 37, 36, 35, 39, 38, 23, 33,
    ]
    guard (1...15).contains(number) else { return nil }
    self.init(specification: specification[Int(number) - 1])
  }

  /// The type of a name: `fp16`; 16-bit integers count as those of 32 bits.
  init?(named name: String) {
    switch name {
    // Forge computes in Float32.
    case "fp16", "fp32": self = .plain(.float32)
    case "int16", "uint16", "int32", "uint32": self = .plain(.int32)
    case "int64": self = .plain(.int64)
    case "int8": self = .plain(.int8)
    case "uint8": self = .plain(.uint8)
    case "bool": self = .plain(.bool)
    default: return nil
    }
  }

  /// The number of bits of an element.
  var bits: Int {
    switch self {
    case .plain(let type): 8 * type.byteCount
    case .packed(let bits, _): bits
    }
  }

  /// The number of bytes of some elements.
  func byteCount(_ count: Int) -> Int {
    let bits = count.multipliedSaturated(by: bits)
    return bits / 8 + (bits % 8 == 0 ? 0 : 1)
  }
}

/// Integers of a width that Forge's tensors do not have, decoded when they are needed.
struct MILPacked: Sendable {
  let sizes: [Int]
  let bits: Int
  let isSigned: Bool
  /// At least as many bytes as the elements take.
  let bytes: any StoredBytes

  var count: Int { sizes.reduce(1, *) }

  /// The elements.
  ///
  /// - Throws: what reading the file throws.
  func integers() throws -> [Int64] {
    let (count, bits) = (count, bits)
    return try bytes.withBytes { raw in
      (0..<count).map { index -> Int64 in
        let start = index * bits
        var value: Int64 = 0
        var position = 0
        while position < bits {
          let (byte, offset) = ((start + position) / 8, (start + position) % 8)
          let taken = min(8 - offset, bits - position)
          guard byte < raw.count else { break }
          value |= (Int64(raw[byte]) >> Int64(offset) & ((1 << Int64(taken)) - 1)) << position
          position += taken
        }
        return isSigned && value >> (bits - 1) & 1 == 1 ? value - (1 << Int64(bits)) : value
      }
    }
  }

  /// The elements as a tensor of integers.
  ///
  /// - Throws: what reading the file throws.
  func tensor() throws -> HostTensor {
    HostTensor(integers: try integers(), sizes: sizes, type: bits > 16 ? .int64 : .int32)
  }
}
