#if Zip
  import CForgeZlib

  /// Functions of zlib.
  enum Zlib {
    static let isPresent = true

    /// Decompresses a whole stream; returns `false` unless it fills `output` exactly.
    static func inflate(
      _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
      var count = uLongf(output.count)
      let result = uncompress(
        output.bindMemory(to: Bytef.self).baseAddress, &count,
        bytes.bindMemory(to: Bytef.self).baseAddress, uLong(bytes.count))
      return result == Z_OK && count == output.count
    }

    /// Continues the CRC-32 `checksum` with bytes; the initial value is 0.
    static func checksum(of bytes: UnsafeRawBufferPointer, after checksum: UInt32) -> UInt32 {
      // For a null address zlib returns the initial value.
      guard !bytes.isEmpty else { return checksum }
      let start = bytes.bindMemory(to: Bytef.self).baseAddress
      return UInt32(truncatingIfNeeded: crc32_z(uLong(checksum), start, bytes.count))
    }
  }

  /// Decompresses deflate data from a range of a file in pieces, with zlib.
  final class Inflater {
    // zlib keeps the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let file: InputFile
    /// The range of compressed bytes not yet read.
    private var rest: Range<Int>
    private let piece: RawMemory
    /// The part of `piece` that zlib has not consumed yet.
    private var input: Range<Int> = 0..<0
    private var isOver = false

    /// Starts decompressing a range of a file, reading up to `pieceBytes` at a time.
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
      // This does nothing if initialization failed.
      inflateEnd(stream)
      stream.deallocate()
    }

    /// Fills the output and returns the byte count, which is smaller at the end or for damaged
    /// data.
    func read(into output: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
      var written = 0
      while written < output.count, !isOver {
        let part = UnsafeMutableRawBufferPointer(rebasing: output[written...].prefix(1 << 30))
        guard let count = try step(into: part) else { return written }
        written += count
      }
      return written
    }

    /// Whether the stream ends here without trailing bytes.
    func isAtEnd() throws(LoadError) -> Bool {
      let byte = try RawMemory(byteCount: 1, for: file.path)
      while !isOver {
        guard let count = try step(into: byte.bytes), count == 0 else { return false }
      }
      return input.isEmpty && rest.isEmpty
    }

    /// Calls zlib once and returns the number of output bytes; `nil` on an error.
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
      // zlib returns Z_BUF_ERROR if it makes no progress, as for truncated data.
      guard result == Z_OK || isOver else { return nil }
      return output.count - Int(stream.pointee.avail_out)
    }
  }
#else
  /// A stub for builds without zlib, which cannot decompress or open archives.
  enum Zlib {
    static let isPresent = false

    static func inflate(
      _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool { false }
  }
#endif
