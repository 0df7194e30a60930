/// Reads chunks and undoes their filters, in memory that is taken once for all of a dataset.
struct HDF5ChunkDecoder: ~Copyable {
  private let input: InputFile
  private let base: Int
  private let byteCount: Int
  private let filters: HDF5Filters
  private let stored: RawMemory
  private let first: RawMemory
  private let second: RawMemory

  /// Takes memory for chunks.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - base: where in the file address 0 lies.
  ///   - byteCount: the bytes of a chunk.
  ///   - largestStored: the bytes of the largest chunk as it is stored.
  ///   - filters: what was done to chunks.
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  init(
    _ input: InputFile, base: Int, byteCount: Int, largestStored: Int, filters: HDF5Filters
  ) throws(LoadError) {
    let stored = try RawMemory(byteCount: largestStored, for: input.origin)
    // A checksum of four bytes may be compressed with the values, and what is shuffled may be
    // compressed already.
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

  /// Reads a chunk and undoes what was done to it.
  ///
  /// - Parameters:
  ///   - chunk: where the chunk is.
  ///   - target: receives the bytes where the whole chunk may lie there.
  /// - Returns: the bytes of the chunk: `target`, or memory that is valid until the next call.
  /// - Throws: when the file cannot be read or the chunk is not what it should be.
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
      // What was summed before this filter was applied still has its checksum behind it; what
      // was compressed before has the bytes it has.
      let count =
        before.contains(.deflate)
        ? current.count : byteCount + (before.contains(.fletcher32) ? 4 : 0)
      let buffer = UnsafeMutableRawBufferPointer(
        rebasing: (isSecond ? second.bytes : first.bytes)[..<count])
      let output = before.isEmpty ? target ?? buffer : buffer
      switch filter {
      case .fletcher32:
        current = try Self.checked(current, at: chunk.address)
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

  /// The bytes before a checksum, once it is right.
  private static func checked(
    _ bytes: UnsafeRawBufferPointer, at address: Int
  ) throws(LoadError) -> UnsafeRawBufferPointer {
    guard bytes.count >= 4 else { throw altered(address) }
    let values = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    let sum = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - 4)...])
    guard HDF5Fletcher32.matches(values, sum) else {
      throw .damaged("the checksum of a chunk is wrong", at: address)
    }
    return values
  }

  /// Puts the bytes of each value side by side again; all first bytes were stored first.
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
    // What is no whole value was not moved.
    for index in (count * elementByteCount)..<bytes.count { output[index] = bytes[index] }
  }
}
