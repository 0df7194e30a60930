/// One entry of a zip archive, checked and decompressed each time it is read.
struct ZipBytes: Sendable {
  /// The bytes that are decompressed at once when others are skipped.
  private static let pieceBytes = 1 << 16
  /// The least compressed bytes that are read at once for the start of an entry.
  private static let prefixPieceBytes = 1 << 10

  /// The archive.
  let file: InputFile
  /// The bytes of the archive that are the entry's, compressed or not.
  let range: Range<Int>
  private let stored: ZipArchive.Entry
  private let limits: LoadLimits

  /// The bytes in `range`, which lies within the file.
  init(_ file: InputFile, _ entry: ZipArchive.Entry, _ range: Range<Int>, limits: LoadLimits) {
    self.file = file
    self.stored = entry
    self.range = range
    self.limits = limits
  }

  var name: String { stored.name.text }
  private var origin: String { "\(file.path): \(name)" }
  /// The number of bytes, uncompressed.
  var count: Int { stored.count }
  var isDeflated: Bool { stored.method == .deflated }
  /// The bytes of memory that reading takes besides the memory it fills.
  var readingByteCount: Int { isDeflated ? Inflater.pieceBytes + Inflater.stateBytes : 0 }

  /// Reads a range of the uncompressed bytes.
  ///
  /// A range that ends with the entry is compared with the checksum, and must be within the limits.
  func read(_ wanted: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    let readsAll = wanted.upperBound == count
    if readsAll { try checkInflation() }
    let inflater =
      isDeflated
      ? try Inflater(
        file, range,
        pieceBytes: readsAll
          ? Inflater.pieceBytes
          : max(Self.prefixPieceBytes, min(wanted.upperBound, Inflater.pieceBytes)),
        origin: origin) : nil
    var place = range.lowerBound
    var checksum = Checksum()
    func fill(_ piece: UnsafeMutableRawBufferPointer) throws(LoadError) {
      if let inflater {
        guard try inflater.read(into: piece) == piece.count else { throw Self.damaged }
      } else {
        try file.read(place..<(place + piece.count), into: piece)
        place += piece.count
      }
      checksum.add(UnsafeRawBufferPointer(piece))
    }
    var skipped = wanted.lowerBound
    let scratch = try RawMemory(byteCount: min(skipped, Self.pieceBytes), for: origin)
    while skipped > 0 {
      let count = min(skipped, scratch.bytes.count)
      try fill(UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[..<count]))
      skipped -= count
    }
    try fill(memory)
    guard readsAll else { return }
    if let inflater {
      guard try inflater.isAtEnd() else { throw Self.damaged }
    }
    guard checksum.value == stored.checksum else {
      throw .damaged("the bytes do not have the checksum the archive has for them")
    }
  }

  /// Throws when there are more decompressed bytes than the limits allow.
  func checkInflation() throws(LoadError) {
    guard isDeflated, count > limits.inflatedBytes(in: file.count) else { return }
    throw .beyondLimit(
      "\(LoadError.bytes(count)), decompressed from \(range.count)",
      limit: count > limits.inflatedBytes ? "inflatedBytes" : "inflatedPerByte")
  }

  private static let damaged = LoadError.damaged("the compressed bytes are damaged")
}
