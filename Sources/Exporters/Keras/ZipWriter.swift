/// A zip archive whose entries are stored as they are, written from front to back.
///
/// The checksum and the size of an entry follow its bytes, so that no entry has to be in memory.
struct ZipWriter {
  /// The largest archive without the extensions for larger ones.
  static let mostBytes = 0xffff_ffff

  /// What the directory says about an entry.
  private struct Entry {
    let name: [UInt8]
    let offset: Int
    var count = 0
    var checksum = CRC32()
  }

  private static let version: UInt64 = 20
  /// The sizes follow the bytes, and the name is UTF-8.
  private static let flags: UInt64 = 0x0808
  /// The first day of 1980, the earliest one that an archive can state.
  private static let day: UInt64 = 0x0021

  private var entries: [Entry] = []
  private var offset = 0

  /// Begins an entry.
  ///
  /// - Returns: the bytes before those of the entry.
  mutating func begin(_ name: String) -> [UInt8] {
    let entry = Entry(name: Array(name.utf8), offset: offset)
    var header = LittleEndianBytes()
    header.add(0x0403_4b50, 4)
    header.add(Self.version, 2)
    header.add(Self.flags, 2)
    header.add(0, 4)
    header.add(Self.day, 2)
    header.add(0, 12)
    header.add(UInt64(entry.name.count), 2)
    header.add(0, 2)
    entries.append(entry)
    return passing(header.bytes + entry.name)
  }

  /// Counts bytes of the last entry and returns them.
  mutating func part(_ bytes: [UInt8]) -> [UInt8] {
    entries[entries.count - 1].checksum.add(bytes)
    entries[entries.count - 1].count += bytes.count
    return passing(bytes)
  }

  /// Ends the last entry.
  ///
  /// - Returns: the bytes after those of the entry.
  mutating func end() -> [UInt8] {
    var descriptor = LittleEndianBytes()
    descriptor.add(0x0807_4b50, 4)
    Self.describe(entries[entries.count - 1], in: &descriptor)
    return passing(descriptor.bytes)
  }

  /// The directory, which ends the archive.
  func directory() -> [UInt8] {
    var bytes = LittleEndianBytes()
    for entry in entries {
      bytes.add(0x0201_4b50, 4)
      bytes.add(Self.version, 2)
      bytes.add(Self.version, 2)
      bytes.add(Self.flags, 2)
      bytes.add(0, 4)
      bytes.add(Self.day, 2)
      Self.describe(entry, in: &bytes)
      bytes.add(UInt64(entry.name.count), 2)
      bytes.add(0, 12)
      bytes.add(UInt64(entry.offset), 4)
      bytes.add(entry.name)
    }
    let size = bytes.bytes.count
    bytes.add(0x0605_4b50, 4)
    bytes.add(0, 4)
    bytes.add(UInt64(entries.count), 2)
    bytes.add(UInt64(entries.count), 2)
    bytes.add(UInt64(size), 4)
    bytes.add(UInt64(offset), 4)
    bytes.add(0, 2)
    return bytes.bytes
  }

  private mutating func passing(_ bytes: [UInt8]) -> [UInt8] {
    offset += bytes.count
    return bytes
  }

  private static func describe(_ entry: Entry, in record: inout LittleEndianBytes) {
    record.add(UInt64(entry.checksum.value), 4)
    record.add(UInt64(entry.count), 4)
    record.add(UInt64(entry.count), 4)
  }
}

/// Little-endian integers, one after the other.
struct LittleEndianBytes {
  private(set) var bytes: [UInt8] = []

  /// Adds the lowest bytes of a number.
  mutating func add(_ value: UInt64, _ count: Int) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  /// Adds bytes as they are.
  mutating func add(_ more: [UInt8]) { bytes += more }

  /// Adds zeros up to a multiple of 8 bytes.
  mutating func align() { bytes += Array(repeating: 0, count: (8 - bytes.count % 8) % 8) }
}

/// The checksum of zip archives.
struct CRC32 {
  /// The sums of a byte with 0 to 7 zeros after it.
  private static let tables: [UInt32] = {
    var tables = Array(repeating: UInt32(0), count: 8 * 256)
    for byte in 0..<256 {
      var sum = UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xedb8_8320 }
      tables[byte] = sum
    }
    for index in 256..<tables.count {
      let sum = tables[index - 256]
      tables[index] = sum >> 8 ^ tables[Int(sum & 0xff)]
    }
    return tables
  }()

  private var sum: UInt32 = .max

  /// The checksum of all bytes so far.
  var value: UInt32 { ~sum }

  /// Adds bytes.
  mutating func add(_ bytes: [UInt8]) {
    var sum = sum
    Self.tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { bytes in
        var index = 0
        while index + 8 <= bytes.count {
          let next = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          let word = UInt64(littleEndian: next) ^ UInt64(sum)
          sum = 0
          for place in 0..<8 {
            sum ^= tables[(7 - place) << 8 + Int(word >> (8 * place) & 0xff)]
          }
          index += 8
        }
        while index < bytes.count {
          sum = sum >> 8 ^ tables[Int((sum ^ UInt32(bytes[index])) & 0xff)]
          index += 1
        }
      }
    }
    self.sum = sum
  }
}
