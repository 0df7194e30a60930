#if Zip
  import CForgeZlib

  /// Functions of zlib.
  enum Zlib {
    static let isPresent = true

    /// Decompresses a whole stream; `false` unless it has exactly the bytes of `output`.
    static func inflate(
      _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
      var count = uLongf(output.count)
      let result = uncompress(
        output.bindMemory(to: Bytef.self).baseAddress, &count,
        bytes.bindMemory(to: Bytef.self).baseAddress, uLong(bytes.count))
      return result == Z_OK && count == output.count
    }

    /// The CRC-32 of bytes and of those before them, whose CRC-32 is `checksum`; 0 for none.
    static func checksum(of bytes: UnsafeRawBufferPointer, after checksum: UInt32) -> UInt32 {
      // Without an address zlib would begin anew.
      guard !bytes.isEmpty else { return checksum }
      let start = bytes.bindMemory(to: Bytef.self).baseAddress
      return UInt32(truncatingIfNeeded: crc32_z(uLong(checksum), start, bytes.count))
    }
  }

  /// Decompresses the deflate data in a part of a file with zlib, piece by piece, into memory that
  /// is given.
  final class Inflater {
    // zlib keeps the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let file: InputFile
    /// The compressed bytes that are not read yet.
    private var rest: Range<Int>
    private let piece: RawMemory
    /// The part of `piece` that is read and not used yet.
    private var input: Range<Int> = 0..<0
    private var isOver = false

    /// Begins to decompress a range of a file, of which it reads `pieceBytes` at once.
    init(
      _ file: InputFile, _ range: Range<Int>, pieceBytes: Int, origin: String
    ) throws(LoadError) {
      self.file = file
      rest = range
      piece = try RawMemory(byteCount: min(range.count, pieceBytes), for: origin)
      stream = .allocate(capacity: 1)
      stream.initialize(to: z_stream())
      guard forge_inflate_begin(stream) == Z_OK else {
        throw .outOfMemory(origin, byteCount: 1 << 15)
      }
    }

    deinit {
      // This does nothing if it was not begun.
      inflateEnd(stream)
      stream.deallocate()
    }

    /// Decompresses until the output is full and returns the number of bytes: fewer at the end,
    /// and where the data is damaged.
    func read(into output: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
      var written = 0
      while written < output.count, !isOver {
        let part = UnsafeMutableRawBufferPointer(rebasing: output[written...].prefix(1 << 30))
        guard let count = try step(into: part) else { return written }
        written += count
      }
      return written
    }

    /// Whether the data ends here, and nothing is left behind it.
    func isAtEnd() throws(LoadError) -> Bool {
      let byte = try RawMemory(byteCount: 1, for: file.path)
      while !isOver {
        guard let count = try step(into: byte.bytes), count == 0 else { return false }
      }
      return input.isEmpty && rest.isEmpty
    }

    /// Calls zlib once and returns the number of bytes; `nil` when it cannot go on.
    private func step(into output: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int? {
      if input.isEmpty, !rest.isEmpty {
        let count = min(rest.count, piece.bytes.count)
        let end = rest.lowerBound + count
        try file.read(
          rest.lowerBound..<end,
          into: UnsafeMutableRawBufferPointer(rebasing: piece.bytes[..<count]))
        input = 0..<count
        rest = end..<rest.upperBound
      }
      let source = UnsafeMutableRawBufferPointer(rebasing: piece.bytes[input])
      stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_in = uInt(source.count)
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = uInt(output.count)
      let result = inflate(stream, Z_NO_FLUSH)
      input = (input.upperBound - Int(stream.pointee.avail_in))..<input.upperBound
      isOver = result == Z_STREAM_END
      // Without progress zlib says Z_BUF_ERROR: the data is cut off.
      guard result == Z_OK || isOver else { return nil }
      return output.count - Int(stream.pointee.avail_out)
    }
  }
#else
  /// Stands for zlib in a build without it: nothing is decompressed, and no archive is opened.
  enum Zlib {
    static let isPresent = false

    static func inflate(
      _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool { false }
  }
#endif
