/// The bytes of one file of a zip archive, checked and decompressed when they are used.
struct ZipBytes: StoredBytes {
  /// Bytes that are looked at or passed over at once.
  private static let pieceBytes = 1 << 16
  /// Of an entry whose first bytes are wanted as few are read.
  private static let prefixPieceBytes = 1 << 10

  private let file: InputFile
  private let stored: ZipArchive.Entry
  private let range: Range<Int>
  private let limits: LoadLimits

  /// The bytes in `range`, which lies within the file.
  init(
    _ file: InputFile, _ entry: ZipArchive.Entry, _ range: Range<Int>, limits: LoadLimits
  ) {
    self.file = file
    self.stored = entry
    self.range = range
    self.limits = limits
  }

  var path: String { file.path }
  var entry: String? { stored.name.text }
  var count: Int { stored.count }
  var readingByteCount: Int {
    stored.method == .deflated ? Inflater.pieceBytes + Inflater.stateBytes : 0
  }

  /// Whether the bytes are compressed.
  var isDeflated: Bool { stored.method == .deflated }

  /// Where the bytes lie in the archive, when they are stored as they are.
  var place: Range<Int>? { stored.method == .deflated ? nil : range }

  func prefix(_ count: Int) throws(LoadError) -> [UInt8] {
    let count = min(count, self.count)
    guard stored.method == .deflated else {
      return try file.bytes(range.lowerBound..<(range.lowerBound + count))
        .withBytes { Array($0) }
    }
    let inflater = try Inflater(
      file, range, pieceBytes: max(Self.prefixPieceBytes, min(count, Inflater.pieceBytes)),
      origin: origin)
    let memory = try RawMemory(byteCount: count, for: origin)
    guard try inflater.read(into: memory.bytes) == count else {
      throw damaged("the compressed bytes are damaged")
    }
    return Array(memory.bytes)
  }

  func read(from offset: Int, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    try checkInflation()
    var checksum = Checksum()
    if stored.method == .deflated {
      let inflater = try Inflater(file, range, origin: origin)
      try forEachPiece(of: offset) { piece throws(LoadError) in
        guard try inflater.read(into: piece) == piece.count else {
          throw damaged("the compressed bytes are damaged")
        }
        checksum.add(UnsafeRawBufferPointer(piece))
      }
      guard try inflater.read(into: memory) == memory.count, try inflater.isAtEnd() else {
        throw damaged("the compressed bytes are damaged")
      }
    } else {
      var place = range.lowerBound
      try forEachPiece(of: offset) { piece throws(LoadError) in
        try file.read(place..<(place + piece.count), into: piece)
        checksum.add(UnsafeRawBufferPointer(piece))
        place += piece.count
      }
      try file.read(place..<range.upperBound, into: memory)
    }
    checksum.add(UnsafeRawBufferPointer(memory))
    try check(checksum)
  }

  /// Throws unless stored bytes have their checksum; they are looked at piece by piece.
  func checkStored() throws(LoadError) {
    var checksum = Checksum()
    var place = range.lowerBound
    try forEachPiece(of: range.count) { piece throws(LoadError) in
      try file.read(place..<(place + piece.count), into: piece)
      checksum.add(UnsafeRawBufferPointer(piece))
      place += piece.count
    }
    try check(checksum)
  }

  /// Throws when there are more decompressed bytes than the limits allow.
  func checkInflation() throws(LoadError) {
    guard stored.method == .deflated, count > limits.inflatedBytes(in: file.count) else { return }
    throw .tooMuchInflated(
      path, entry: entry, count, from: range.count,
      limit: count > limits.inflatedBytes ? "inflatedBytes" : "inflatedPerByte")
  }

  /// Gives memory for `count` bytes to `body`, piece by piece.
  private func forEachPiece(
    of count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(LoadError) -> Void
  ) throws(LoadError) {
    guard count > 0 else { return }
    let memory = try RawMemory(byteCount: min(count, Self.pieceBytes), for: origin)
    var left = count
    while left > 0 {
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: memory.bytes[..<min(left, memory.bytes.count)])
      try body(piece)
      left -= piece.count
    }
  }

  private func check(_ checksum: Checksum) throws(LoadError) {
    guard checksum.value == stored.checksum else {
      throw damaged("the bytes do not have the checksum the archive has for them")
    }
  }

  private func damaged(_ what: String) -> LoadError { .damaged(path, entry: entry, what) }
}
