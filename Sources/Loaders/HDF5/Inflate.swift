#if HDF5
  /// Decompresses deflate data (RFC 1951) in its zlib wrapping (RFC 1950).
  ///
  /// It writes only into the memory it is given, needs to fill it exactly, and takes any input:
  /// what is not deflate data gives `false`.
  package struct Inflate {
    private let input: UnsafeRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    private var next = 0
    private var written = 0
    private var bits: UInt64 = 0
    private var bitCount = 0

    private init(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) {
      self.input = input
      self.output = output
    }

    /// Decompresses a zlib stream that gives exactly `output.count` bytes.
    ///
    /// - Parameters:
    ///   - input: the stream; bytes after its end are not looked at.
    ///   - output: receives the bytes.
    /// - Returns: whether the stream is whole, has the right checksum and fills `output`.
    package static func zlib(
      _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
      guard input.count >= 6 else { return false }
      let method = Int(input[0])
      let flags = Int(input[1])
      // Deflate, a window of at most 32 kB, a right check of the head, no dictionary.
      guard method & 0xf == 8, method >> 4 <= 7, (method << 8 | flags) % 31 == 0, flags & 0x20 == 0
      else { return false }
      var inflate = Inflate(UnsafeRawBufferPointer(rebasing: input[2...]), output)
      guard inflate.blocks(), inflate.written == output.count else { return false }
      guard let checksum = inflate.bigEndianChecksum() else { return false }
      return checksum == adler32(UnsafeRawBufferPointer(output))
    }

    /// The sum of bytes and of sums that ends a zlib stream.
    static func adler32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
      var a: UInt32 = 1
      var b: UInt32 = 0
      var start = 0
      while start < bytes.count {
        // 5552 bytes cannot overflow 32 bits.
        let end = min(start + 5552, bytes.count)
        for index in start..<end {
          a &+= UInt32(bytes[index])
          b &+= a
        }
        a %= 65521
        b %= 65521
        start = end
      }
      return b << 16 | a
    }

    // MARK: Bits

    /// Takes bytes until there are at least 48 bits, or no more bytes.
    private mutating func refill() {
      while bitCount <= 56, next < input.count {
        bits |= UInt64(input[next]) << UInt64(bitCount)
        next += 1
        bitCount += 8
      }
    }

    /// The next `count` bits, at most 16; `nil` at the end of the input.
    private mutating func take(_ count: Int) -> Int? {
      if bitCount < count { refill() }
      guard bitCount >= count else { return nil }
      let value = Int(bits & ((1 << UInt64(count)) - 1))
      bits >>= UInt64(count)
      bitCount -= count
      return value
    }

    /// Passes over the rest of a byte and gives back the bytes that were taken ahead.
    private mutating func alignToByte() {
      next -= bitCount / 8
      bits = 0
      bitCount = 0
    }

    private mutating func bigEndianChecksum() -> UInt32? {
      alignToByte()
      guard input.count - next >= 4 else { return nil }
      return (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(input[next + $1]) }
    }

    // MARK: Blocks

    private mutating func blocks() -> Bool {
      while true {
        guard let isLast = take(1), let form = take(2) else { return false }
        let isGood =
          switch form {
          case 0: stored()
          case 1: compressed(.fixedLiterals, .fixedDistances)
          case 2: dynamic()
          default: false
          }
        guard isGood else { return false }
        if isLast == 1 { return true }
      }
    }

    private mutating func stored() -> Bool {
      alignToByte()
      guard input.count - next >= 4 else { return false }
      let length = Int(input[next]) | Int(input[next + 1]) << 8
      let inverse = Int(input[next + 2]) | Int(input[next + 3]) << 8
      next += 4
      guard length == ~inverse & 0xffff, length <= input.count - next,
        length <= output.count - written
      else { return false }
      UnsafeMutableRawBufferPointer(rebasing: output[written..<(written + length)]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: input[next..<(next + length)]))
      next += length
      written += length
      return true
    }

    /// A block that begins with its own codes.
    private mutating func dynamic() -> Bool {
      guard let literals = take(5), let distances = take(5), let lengths = take(4) else {
        return false
      }
      let counts = (literals: literals + 257, distances: distances + 1, lengths: lengths + 4)
      guard counts.literals <= 286, counts.distances <= 30 else { return false }
      let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
      var codeLengths = [UInt8](repeating: 0, count: 19)
      for index in 0..<counts.lengths {
        guard let length = take(3) else { return false }
        codeLengths[order[index]] = UInt8(length)
      }
      guard let code = HuffmanCode(codeLengths) else { return false }
      let total = counts.literals + counts.distances
      var all: [UInt8] = []
      while all.count < total {
        guard let symbol = symbol(of: code) else { return false }
        switch symbol {
        case 16:
          guard let last = all.last, let more = take(2) else { return false }
          all.append(contentsOf: repeatElement(last, count: more + 3))
        case 17:
          guard let more = take(3) else { return false }
          all.append(contentsOf: repeatElement(0, count: more + 3))
        case 18:
          guard let more = take(7) else { return false }
          all.append(contentsOf: repeatElement(0, count: more + 11))
        default: all.append(UInt8(symbol))
        }
      }
      // Without an end of the block there is none.
      guard all.count == total, all[256] != 0,
        let literalCode = HuffmanCode(Array(all[..<counts.literals])),
        let distanceCode = HuffmanCode(Array(all[counts.literals...]))
      else { return false }
      return compressed(literalCode, distanceCode)
    }

    private mutating func symbol(of code: HuffmanCode) -> Int? {
      if bitCount < 15 { refill() }
      let entry = Int(code.table[Int(truncatingIfNeeded: bits) & (code.table.count - 1)])
      let length = entry & 0xf
      // An entry of length 0 stands for bits that are no code.
      guard length > 0, length <= bitCount else { return nil }
      bits >>= UInt64(length)
      bitCount -= length
      return entry >> 4
    }

    private static let lengthBases: [Int] = [
      3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
      163, 195, 227, 258,
    ]
    private static let lengthExtras: [Int] = [
      0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases: [Int] = [
      1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
      2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]

    private mutating func compressed(_ literals: HuffmanCode, _ distances: HuffmanCode) -> Bool {
      while true {
        guard let symbol = symbol(of: literals) else { return false }
        if symbol < 256 {
          guard written < output.count else { return false }
          output[written] = UInt8(symbol)
          written += 1
          continue
        }
        if symbol == 256 { return true }
        guard symbol - 257 < Self.lengthBases.count,
          let extraLength = take(Self.lengthExtras[symbol - 257]),
          let code = self.symbol(of: distances), code < Self.distanceBases.count,
          let extraDistance = take(max(code / 2 - 1, 0))
        else { return false }
        let length = Self.lengthBases[symbol - 257] + extraLength
        let distance = Self.distanceBases[code] + extraDistance
        guard distance <= written, length <= output.count - written else { return false }
        // The copy may overlap itself: each byte is read after those before it were written.
        for index in written..<(written + length) { output[index] = output[index - distance] }
        written += length
      }
    }
  }

  /// The codes of one alphabet, as a table from the next bits to symbol and length.
  struct HuffmanCode: Sendable {
    /// For each value of the next bits, the symbol × 16 + the code's length; length 0 for no code.
    let table: [UInt16]

    /// Builds the canonical code of these lengths; `nil` when there is none.
    init?(_ lengths: [UInt8]) {
      var counts = [Int](repeating: 0, count: 16)
      for length in lengths { counts[Int(length)] += 1 }
      counts[0] = 0
      let longest = counts.lastIndex { $0 > 0 } ?? 1
      var codes = [Int](repeating: 0, count: 16)
      var code = 0
      for length in 1...longest {
        code = (code + counts[length - 1]) << 1
        codes[length] = code
        guard code + counts[length] <= 1 << length else { return nil }
      }
      var table = [UInt16](repeating: 0, count: 1 << longest)
      for (symbol, length) in lengths.enumerated() where length > 0 {
        let length = Int(length)
        // Codes are sent with their highest bit first, the table is asked with the first bit
        // lowest.
        var reversed = 0
        for bit in 0..<length where codes[length] >> bit & 1 != 0 {
          reversed |= 1 << (length - 1 - bit)
        }
        codes[length] += 1
        for index in stride(from: reversed, to: table.count, by: 1 << length) {
          table[index] = UInt16(symbol << 4 | length)
        }
      }
      self.table = table
    }

    private init(table: [UInt16]) {
      self.table = table
    }

    private static let none = HuffmanCode(table: [0, 0])

    /// The literals and lengths of blocks without codes of their own.
    static let fixedLiterals =
      HuffmanCode(
        Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
          + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8)) ?? none
    /// The distances of blocks without codes of their own.
    static let fixedDistances = HuffmanCode(Array(repeating: 5, count: 32)) ?? none
  }
#endif
