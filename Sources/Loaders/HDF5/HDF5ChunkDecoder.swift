/// Reads chunks and undoes their filters, in memory that all chunks of a dataset share.
struct HDF5ChunkDecoder: ~Copyable {
  private let input: InputFile
  private let base: Int
  private let byteCount: Int
  private let filters: HDF5Filters
  private let stored: RawMemory
  private let first: RawMemory
  private let second: RawMemory

  /// Allocates memory for chunks of `byteCount` bytes, stored in at most `largestStored`.
  ///
  /// Address 0 is the byte `base` of the file.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  init(
    _ input: InputFile, base: Int, byteCount: Int, largestStored: Int, filters: HDF5Filters
  ) throws(LoadError) {
    let stored = try RawMemory(byteCount: largestStored, for: input.origin)
    // The checksum of four bytes may be compressed with the values, and shuffling may follow
    // compression.
    let room = filters.filters.isEmpty ? 0 : max(byteCount + 4, largestStored)
    let first = try RawMemory(byteCount: room, for: input.origin)
    let second = try RawMemory(byteCount: filters.filters.count > 1 ? room : 0, for: input.origin)
    self.input = input
    self.base = base
    self.byteCount = byteCount
    self.filters = filters
    self.stored = stored
    self.first = first
    self.second = second
  }

  /// The bytes of memory that decoding takes.
  static func byteCount(chunk: Int, largestStored: Int, filters: HDF5Filters) -> Int {
    largestStored + min(filters.filters.count, 2) * (chunk + 4)
  }

  /// Reads a chunk and undoes its filters, into `target` if there is one.
  ///
  /// - Returns: the bytes of the chunk: `target`, or memory that is valid until the next call.
  func decode(
    _ chunk: HDF5Chunk, into target: UnsafeMutableRawBufferPointer?
  ) throws(LoadError) -> UnsafeRawBufferPointer {
    let applied = filters.applied(chunk.mask)
    let place = applied.isEmpty ? target ?? stored.bytes : stored.bytes
    let source = UnsafeMutableRawBufferPointer(rebasing: place[..<chunk.stored])
    let start = base + chunk.address
    try input.read(start..<start + chunk.stored, into: source)
    var current = UnsafeRawBufferPointer(source)
    // Two buffers take turns.
    var isSecond = false
    for (index, filter) in applied.enumerated().reversed() {
      let before = applied[..<index]
      // Bytes that were summed earlier still have their checksum; the size of bytes that were
      // compressed earlier does not change here.
      let count =
        before.contains(.deflate)
        ? current.count : byteCount + (before.contains(.fletcher32) ? 4 : 0)
      let buffer = UnsafeMutableRawBufferPointer(
        rebasing: (isSecond ? second.bytes : first.bytes)[..<count])
      let output = before.isEmpty ? target ?? buffer : buffer
      switch filter {
      case .fletcher32:
        guard current.count >= 4 else { throw Self.altered(chunk.address) }
        guard HDF5Checksum.fletcher32Matches(current) else {
          throw .damaged("the checksum of a chunk is wrong", at: chunk.address)
        }
        current = UnsafeRawBufferPointer(rebasing: current.dropLast(4))
        continue
      case .deflate:
        guard Zlib.inflate(current, into: output) else { throw Self.altered(chunk.address) }
      case .shuffle:
        guard current.count == count else { throw Self.altered(chunk.address) }
        Self.unshuffle(current, into: output, elementByteCount: filters.elementByteCount)
      }
      current = UnsafeRawBufferPointer(output)
      isSecond.toggle()
    }
    guard current.count == byteCount else { throw Self.altered(chunk.address) }
    if let target, current.baseAddress != UnsafeRawPointer(target.baseAddress) {
      target.copyMemory(from: current)
      return UnsafeRawBufferPointer(target)
    }
    return current
  }

  private static func altered(_ address: Int) -> LoadError {
    .damaged("a compressed chunk is not what it should be", at: address)
  }

  /// Puts the bytes of each value side by side; the first bytes of all values are stored first.
  private static func unshuffle(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    elementByteCount: Int
  ) {
    let count = bytes.count / elementByteCount
    for byte in 0..<elementByteCount {
      var place = byte
      for index in (byte * count)..<((byte + 1) * count) {
        output[place] = bytes[index]
        place += elementByteCount
      }
    }
    // A rest that is no whole value is not shuffled.
    for index in (count * elementByteCount)..<bytes.count { output[index] = bytes[index] }
  }
}
