/// Reads chunks and undoes their filters, in memory that all chunks of a dataset share.
struct HDF5ChunkDecoder: ~Copyable {
  private let contents: HDF5Contents
  private let layout: HDF5Chunks
  private let stored: RawMemory
  private let first: RawMemory
  private let second: RawMemory

  /// Allocates memory for chunks that are stored in at most `largestStored` bytes.
  init(
    _ contents: HDF5Contents, _ layout: HDF5Chunks, largestStored: Int
  ) throws(LoadError) {
    let origin = contents.input.origin
    let stored = try RawMemory(byteCount: largestStored, for: origin)
    // The checksum of four bytes may be compressed with the values, and shuffling may follow
    // compression.
    let room = layout.filters.isEmpty ? 0 : max(layout.byteCount + 4, largestStored)
    let first = try RawMemory(byteCount: room, for: origin)
    let second = try RawMemory(byteCount: layout.filters.count > 1 ? room : 0, for: origin)
    self.contents = contents
    self.layout = layout
    self.stored = stored
    self.first = first
    self.second = second
  }

  /// The bytes of memory that decoding takes.
  ///
  /// A stored chunk has no more bytes than its values and its checksum.
  static func byteCount(_ layout: HDF5Chunks) -> Int {
    layout.byteCount + min(layout.filters.count, 2) * (layout.byteCount + 4)
  }

  /// Reads a chunk and undoes its filters, into `target` if there is one.
  ///
  /// - Returns: the bytes of the chunk: `target`, or memory that is valid until the next call.
  func decode(
    _ chunk: HDF5Chunk, into target: UnsafeMutableRawBufferPointer?
  ) throws(LoadError) -> UnsafeRawBufferPointer {
    let applied = layout.filters.applied(chunk.mask)
    let place = applied.isEmpty ? target ?? stored.bytes : stored.bytes
    let source = UnsafeMutableRawBufferPointer(rebasing: place[..<chunk.stored])
    let start = contents.head.base + chunk.address
    try contents.input.read(start..<start + chunk.stored, into: source)
    func altered() -> LoadError {
      .damaged("a compressed chunk is not what it should be", at: chunk.address)
    }
    var current = UnsafeRawBufferPointer(source)
    // Two buffers take turns.
    var isSecond = false
    for (index, filter) in applied.enumerated().reversed() {
      let before = applied[..<index]
      // Bytes that were summed earlier still have their checksum; the size of bytes that were
      // compressed earlier does not change here.
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

  /// Puts the bytes of each value side by side; the first bytes of all values are stored first.
  private func unshuffle(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) {
    let width = layout.elementByteCount
    let count = bytes.count / width
    for byte in 0..<width {
      var place = byte
      for index in (byte * count)..<((byte + 1) * count) {
        output[place] = bytes[index]
        place += width
      }
    }
    // A rest that is no whole value is not shuffled.
    for index in (count * width)..<bytes.count { output[index] = bytes[index] }
  }
}
