/// One entry of a zip archive, checked and decompressed each time it is read.
struct ZipBytes: Sendable {
  /// The maximum number of compressed or skipped bytes per read.
  private static let pieceBytes = 1 << 16
  /// The minimum number of compressed bytes per read at the start of an entry.
  private static let prefixPieceBytes = 1 << 10
  /// The memory of zlib: a 32 KB window and tables.
  private static let stateBytes = 1 << 16

  let file: InputFile
  let entry: ZipArchive.Entry
  let limits: LoadLimits

  private var origin: String { "\(file.path): \(entry.name.text)" }
  var isDeflated: Bool { entry.method == .deflated }
  /// The bytes of memory needed for reading, besides the output.
  var readingByteCount: Int { isDeflated ? Self.pieceBytes + Self.stateBytes : 0 }

  /// Reads a range of the uncompressed bytes.
  ///
  /// If the range extends to the end of the entry, the limits and the checksum are verified.
  func read(_ wanted: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    #if Zip
      let readsAll = wanted.upperBound == entry.count
      if readsAll { try checkInflation() }
      let pieceBytes =
        readsAll
        ? Self.pieceBytes : max(Self.prefixPieceBytes, min(wanted.upperBound, Self.pieceBytes))
      let inflater =
        isDeflated
        ? try Inflater(file, entry.range, pieceBytes: pieceBytes, origin: origin) : nil
      var offset = entry.range.lowerBound
      var checksum: UInt32 = 0
      func fill(_ piece: UnsafeMutableRawBufferPointer) throws(LoadError) {
        if let inflater {
          guard try inflater.read(into: piece) == piece.count else { throw Self.damaged }
        } else {
          try file.read(offset..<(offset + piece.count), into: piece)
          offset += piece.count
        }
        checksum = Zlib.checksum(of: UnsafeRawBufferPointer(piece), after: checksum)
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
      guard checksum == entry.checksum else {
        throw .damaged("the bytes do not have the checksum the archive has for them")
      }
    #else
      throw file.located(.needsTrait("Zip", "zip archives"))
    #endif
  }

  /// Throws if the decompressed size exceeds the limits.
  func checkInflation() throws(LoadError) {
    guard isDeflated, entry.count > limits.inflatedBytes(in: file.count) else { return }
    throw .beyondLimit(
      "\(LoadError.bytes(entry.count)), decompressed from \(entry.storedCount)",
      limit: entry.count > limits.inflatedBytes ? "inflatedBytes" : "inflatedPerByte")
  }

  private static let damaged = LoadError.damaged("the compressed bytes are damaged")
}
