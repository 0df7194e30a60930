#if Zip
  import CForgeZlib

  /// Decompresses deflate data with zlib, piece by piece, into memory that is given.
  final class Inflater {
    // zlib keeps the address of this structure: it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: Slice<UnsafeRawBufferPointer>
    private var isOver = false

    /// Begins to decompress bytes, which must outlive the object.
    init(_ bytes: UnsafeRawBufferPointer, origin: String) throws(LoadError) {
      input = bytes[...]
      stream = .allocate(capacity: 1)
      stream.initialize(to: z_stream())
      guard forge_inflate_begin(stream) == Z_OK else {
        throw .outOfMemory(origin, byteCount: 1 << 15)
      }
    }

    deinit {
      // Does nothing where it was not begun.
      inflateEnd(stream)
      stream.deallocate()
    }

    /// Decompresses until the output is full.
    ///
    /// - Parameter output: receives the bytes.
    /// - Returns: how many there were; fewer than asked for at the end, and where the data is
    ///   damaged.
    func read(into output: UnsafeMutableRawBufferPointer) -> Int {
      var written = 0
      while written < output.count, !isOver {
        let piece = UnsafeMutableRawBufferPointer(
          rebasing: output[written...].prefix(1 << 30))
        let count = step(into: piece)
        guard let count else { return written }
        written += count
      }
      return written
    }

    /// Whether the data ends here, and nothing is left behind it.
    func isAtEnd() -> Bool {
      var byte: UInt8 = 0
      while !isOver {
        let count = withUnsafeMutableBytes(of: &byte) { step(into: $0) }
        guard count == 0 else { return false }
      }
      return input.isEmpty
    }

    /// One call of zlib: the bytes it gave; `nil` when it cannot go on.
    private func step(into output: UnsafeMutableRawBufferPointer) -> Int? {
      let source = UnsafeRawBufferPointer(rebasing: input.prefix(1 << 30))
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: source.bindMemory(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = uInt(source.count)
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = uInt(output.count)
      let result = inflate(stream, Z_NO_FLUSH)
      input = input.dropFirst(source.count - Int(stream.pointee.avail_in))
      isOver = result == Z_STREAM_END
      // Without progress zlib says Z_BUF_ERROR: the data is cut off.
      guard result == Z_OK || isOver else { return nil }
      return output.count - Int(stream.pointee.avail_out)
    }
  }
#endif
