/// Reads and unfilters the chunks of a dataset, reusing the same memory for all of them.
struct HDF5ChunkDecoder: ~Copyable {
  private let contents: HDF5Contents
  private let layout: HDF5Chunks
  private let stored: RawMemory
  private let first: RawMemory
  private let second: RawMemory

  /// Allocates memory for chunks with a stored size of at most `largestStored` bytes.
  init(
    _ contents: HDF5Contents, _ layout: HDF5Chunks, largestStored: Int
  ) throws(LoadError) {
    let origin = contents.input.origin
    let stored = try RawMemory(byteCount: largestStored, for: origin)
    // A four-byte checksum may be compressed with the values, and shuffle may follow deflate.
    let room = layout.filters.isEmpty ? 0 : max(layout.byteCount + 4, largestStored)
    let first = try RawMemory(byteCount: room, for: origin)
    let second = try RawMemory(byteCount: layout.filters.count > 1 ? room : 0, for: origin)
    self.contents = contents
    self.layout = layout
    self.stored = stored
    self.first = first
    self.second = second
  }

  /// The bytes of memory needed for decoding.
  ///
  /// Assumes that compression does not enlarge a chunk.
  static func byteCount(_ layout: HDF5Chunks) -> Int {
    layout.byteCount + min(layout.filters.count, 2) * (layout.byteCount + 4)
  }

  /// Reads and unfilters a chunk, into `target` if given.
  ///
  /// - Returns: the bytes of the chunk: `target`, or memory that is valid until the next call.
  func decode(
    _ chunk: HDF5Chunk, into target: UnsafeMutableRawBufferPointer?
  ) throws(LoadError) -> UnsafeRawBufferPointer {
    let applied = layout.filters.applied(chunk.mask)
    let memory = applied.isEmpty ? target ?? stored.bytes : stored.bytes
    let source = UnsafeMutableRawBufferPointer(rebasing: memory[..<chunk.stored])
    let start = contents.head.base + chunk.address
    try contents.input.read(start..<start + chunk.stored, into: source)
    func altered() -> LoadError {
      .damaged("a compressed chunk is damaged", at: chunk.address)
    }
    var current = UnsafeRawBufferPointer(source)
    // The two buffers alternate.
    var isSecond = false
    for (index, filter) in applied.enumerated().reversed() {
      let before = applied[..<index]
      // Output of an earlier checksum filter has four more bytes. The size of compressed data does
      // not change here.
      let count =
        before.contains(.deflate)
        ? current.count : layout.byteCount + (before.contains(.fletcher32) ? 4 : 0)
      let buffer = UnsafeMutableRawBufferPointer(
        rebasing: (isSecond ? second.bytes : first.bytes)[..<count])
      let output = before.isEmpty ? target ?? buffer : buffer
      switch filter {
      case .fletcher32:
        guard current.count >= 4 else { throw altered() }
        guard HDF5Checksum.fletcher32Matches(current) else {
          throw .damaged("the checksum of a chunk is wrong", at: chunk.address)
        }
        current = UnsafeRawBufferPointer(rebasing: current.dropLast(4))
        continue
      case .deflate:
        guard Zlib.inflate(current, into: output) else { throw altered() }
      case .shuffle:
        guard current.count == count else { throw altered() }
        unshuffle(current, into: output)
      }
      current = UnsafeRawBufferPointer(output)
      isSecond.toggle()
    }
    guard current.count == layout.byteCount else { throw altered() }
    if let target, current.baseAddress != UnsafeRawPointer(target.baseAddress) {
      target.copyMemory(from: current)
      return UnsafeRawBufferPointer(target)
    }
    return current
  }

  /// Undoes the shuffle filter, which stores the first bytes of all values first.
  private func unshuffle(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) {
    let width = layout.elementByteCount
    let count = bytes.count / width
    for byte in 0..<width {
      var target = byte
      for index in (byte * count)..<((byte + 1) * count) {
        output[target] = bytes[index]
        target += width
      }
    }
    // Trailing bytes that are not a whole value are not shuffled.
    for index in (count * width)..<bytes.count { output[index] = bytes[index] }
  }
}
