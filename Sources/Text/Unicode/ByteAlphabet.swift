/// The characters that stand for bytes in byte-level vocabularies: one visible character for each
/// of the 256 bytes.
///
/// Source: the code of GPT-2, `bytes_to_unicode`.
enum ByteAlphabet {
  private static let scalars: [UInt32] = {
    var next: UInt32 = 256
    return (0..<256).map { byte in
      switch UInt32(byte) {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: return UInt32(byte)
      default:
        defer { next += 1 }
        return next
      }
    }
  }()

  private static let spellings: [[UInt8]] = scalars.map { scalar in
    var bytes: [UInt8] = []
    UTF8Bytes.append(scalar, to: &bytes)
    return bytes
  }

  private static let values: [Int16] = {
    var table = [Int16](repeating: -1, count: 512)
    for (byte, scalar) in scalars.enumerated() { table[Int(scalar)] = Int16(byte) }
    return table
  }()

  /// The UTF-8 of the character for a byte.
  static func spelling(_ byte: UInt8) -> [UInt8] { spellings[Int(byte)] }

  /// The byte that a character stands for.
  static func byte(_ scalar: UInt32) -> UInt8? {
    guard scalar < 512, values[Int(scalar)] >= 0 else { return nil }
    return UInt8(values[Int(scalar)])
  }

  /// The bytes that a text of such characters stands for; `nil` if it has another character.
  static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let (scalar, width) = UTF8Bytes.scalar(text, position)
      guard let byte = byte(scalar) else { return nil }
      result.append(byte)
      position += width
    }
    return result
  }
}
