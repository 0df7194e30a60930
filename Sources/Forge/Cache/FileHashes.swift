import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The hashes of ranges of one version of a file, which a cache remembers.
///
/// The file of hashes holds the stamp and the ranges with their hashes. It is used only if all of
/// it is as expected.
struct FileHashes {
  private let stamp: FileStamp
  private let name: String
  private var hashes: [Range<Int>: ContentHash] = [:]
  private var isChanged = false

  /// The hashes that a folder remembers for a version of a file.
  init(of stamp: FileStamp, in folder: CacheFolder) {
    self.stamp = stamp
    name = Self.name(of: stamp)
    let known = CacheNote.read(name, in: folder) { reader throws(StoredMisfit) in
      try Self.hashes(in: &reader, of: stamp)
    }
    hashes = known ?? [:]
  }

  /// The name of the file of hashes.
  static func name(of stamp: FileStamp) -> String {
    var writer = StoredWriter()
    writer.write(stamp.words)
    let hash = writer.facts.withUnsafeBytes { ContentHash(of: $0) }
    return hash.hex + CacheFolder.hashesSuffix
  }

  /// The hash of a range; `nil` if it is not remembered.
  subscript(range: Range<Int>) -> ContentHash? {
    get { hashes[range] }
    set {
      hashes[range] = newValue
      isChanged = true
    }
  }

  private static func hashes(
    in reader: inout StoredReader, of stamp: FileStamp
  ) throws(StoredMisfit) -> [Range<Int>: ContentHash] {
    guard try reader.read([Int].self) == stamp.words else { throw StoredMisfit.damaged }
    var hashes: [Range<Int>: ContentHash] = [:]
    for _ in 0..<(try reader.count()) {
      let (start, end) = (try reader.read(Int.self), try reader.read(Int.self))
      guard start >= 0, start <= end else { throw StoredMisfit.damaged }
      let hash = try reader.read(ContentHash.self)
      hashes[start..<end] = hash
    }
    return hashes
  }

  /// Writes the hashes to a folder, if there are new ones and it can be written.
  func save(in folder: CacheFolder) {
    guard isChanged else { return }
    var writer = StoredWriter()
    writer.write(stamp.words)
    writer.write(hashes.count)
    for (range, hash) in hashes.sorted(by: { $0.key.lowerBound < $1.key.lowerBound }) {
      writer.write(range.lowerBound)
      writer.write(range.upperBound)
      writer.write(hash)
    }
    CacheNote.write(name, writer, to: folder)
  }
}

extension ContentHash: StoredValue {
  package func write(to writer: inout StoredWriter) {
    for index in 0..<4 { writer.write(words[index]) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      words: [try reader.read(), try reader.read(), try reader.read(), try reader.read()])
  }
}
