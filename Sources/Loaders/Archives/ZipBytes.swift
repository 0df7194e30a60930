#if Zip
  import CForgeZlib

  /// The bytes of one file of a zip archive, checked and decompressed when they are used.
  struct ZipBytes: StoredBytes {
    private let mapping: FileMapping
    private let stored: ZipArchive.Entry
    private let range: Range<Int>

    /// The bytes in `range`, which lies within the file.
    init(_ mapping: FileMapping, _ entry: ZipArchive.Entry, _ range: Range<Int>) {
      self.mapping = mapping
      self.stored = entry
      self.range = range
    }

    var path: String { mapping.path }
    var entry: String? { stored.name }
    var count: Int { stored.count }
    var temporaryByteCount: Int { stored.method == .deflated ? count : 0 }

    func prefix(_ count: Int) throws(LoadError) -> [UInt8] {
      try mapping.verify()
      let bytes = UnsafeRawBufferPointer(rebasing: mapping.bytes[range])
      let count = min(count, self.count)
      guard stored.method == .deflated else { return Array(bytes.prefix(count)) }
      let inflater = try Inflater(bytes, origin: origin)
      var prefix = [UInt8](repeating: 0, count: count)
      let found = prefix.withUnsafeMutableBytes { inflater.read(into: $0) }
      guard found == count else { throw damaged("the compressed bytes are damaged") }
      return prefix
    }

    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
      try mapping.withUnsafeBytes(in: range) { bytes in
        guard stored.method == .deflated else {
          try check(Checksum().adding(bytes))
          return try body(bytes)
        }
        let inflater = try Inflater(bytes, origin: origin)
        let memory = try RawMemory(byteCount: count, for: origin)
        guard inflater.read(into: memory.bytes) == count, inflater.isAtEnd() else {
          throw damaged("the compressed bytes are damaged")
        }
        let values = UnsafeRawBufferPointer(memory.bytes)
        try check(Checksum().adding(values))
        try body(values)
      }
    }

    /// Gives the bytes to `body` piece by piece, so that they need not all be in memory.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(LoadError) -> Void) throws(LoadError)
    {
      try mapping.verify()
      let bytes = UnsafeRawBufferPointer(rebasing: mapping.bytes[range])
      var checksum = Checksum()
      if stored.method == .deflated {
        let inflater = try Inflater(bytes, origin: origin)
        let memory = try RawMemory(byteCount: min(count, 1 << 20), for: origin)
        var left = count
        while left > 0 {
          let piece = UnsafeMutableRawBufferPointer(
            rebasing: memory.bytes[..<min(left, memory.bytes.count)])
          guard inflater.read(into: piece) == piece.count else {
            throw damaged("the compressed bytes are damaged")
          }
          checksum = checksum.adding(UnsafeRawBufferPointer(piece))
          try body(UnsafeRawBufferPointer(piece))
          left -= piece.count
        }
        guard inflater.isAtEnd() else { throw damaged("the compressed bytes are damaged") }
      } else {
        checksum = checksum.adding(bytes)
        try body(bytes)
      }
      try check(checksum)
    }

    private func check(_ checksum: Checksum) throws(LoadError) {
      guard checksum.value == stored.checksum else {
        throw damaged("the bytes do not have the checksum the archive has for them")
      }
    }

    private func damaged(_ what: String) -> LoadError { .damaged(path, entry: entry, what) }
  }

  /// The CRC-32 of bytes that come in pieces.
  private struct Checksum {
    private(set) var value: UInt32 = 0

    func adding(_ bytes: UnsafeRawBufferPointer) -> Checksum {
      var next = self
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
        next.value = UInt32(
          truncatingIfNeeded: crc32(
            uLong(next.value), piece.bindMemory(to: UInt8.self).baseAddress, uInt(piece.count)))
        rest = rest.dropFirst(piece.count)
      }
      return next
    }
  }
#endif
