#if Zip
  import CForgeZlib

  /// Functions of zlib.
  enum Zlib {
    /// Whether this build has zlib.
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
  }

  /// A CRC-32 of pieces of bytes.
  struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
        value = UInt32(
          truncatingIfNeeded: crc32(
            uLong(value), piece.bindMemory(to: UInt8.self).baseAddress, uInt(piece.count)))
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  /// Decompresses the deflate data in a part of a file with zlib, piece by piece, into memory that
  /// is given.
  final class Inflater {
    /// Compressed bytes that are read at once.
    static let pieceBytes = 1 << 16
    /// The memory of zlib: the last 32 KB of the output, and tables.
    static let stateBytes = 1 << 16

    // zlib keeps the address of this structure, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let file: InputFile
    /// The compressed bytes that are not read yet.
    private var rest: Range<Int>
    private let piece: RawMemory
    /// The part of `piece` that is read and not used yet.
    private var input: Range<Int> = 0..<0
    private var isOver = false

    /// Begins to decompress the bytes in a part of a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - range: the compressed bytes.
    ///   - pieceBytes: how many of them are read at once.
    ///   - origin: what they are, for messages.
    /// - Throws: ``LoadError`` of kind `outOfMemory`.
    init(
      _ file: InputFile, _ range: Range<Int>, pieceBytes: Int = Inflater.pieceBytes, origin: String
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

    /// Decompresses until the output is full.
    ///
    /// - Parameter output: receives the bytes.
    /// - Returns: how many there were; fewer than asked for at the end, and where the data is
    ///   damaged.
    /// - Throws: ``LoadError`` when the file cannot be read.
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
    ///
    /// - Throws: ``LoadError`` when the file cannot be read.
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
  /// Stands for zlib in a build without it: nothing is decompressed.
  enum Zlib {
    static let isPresent = false

    static func inflate(
      _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool { false }
  }

  /// Stands for the checksum of archives, which are not opened.
  struct Checksum {
    let value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {}
  }

  /// Stands for the decompression of entries, of which there are none.
  final class Inflater {
    static let pieceBytes = 0
    static let stateBytes = 0

    init(
      _ file: InputFile, _ range: Range<Int>, pieceBytes: Int = 0, origin: String
    ) throws(LoadError) {
      throw file.located(.needsTrait("Zip", "zip archives"))
    }

    func read(into output: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int { 0 }

    func isAtEnd() throws(LoadError) -> Bool { false }
  }
#endif
