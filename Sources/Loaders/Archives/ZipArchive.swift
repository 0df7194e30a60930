/// A zip archive: `.npz` and `.keras` files.
///
/// Its directory is read with every bound checked. No two entries may have one name or share
/// bytes, so what an archive can unpack to is bounded by its own size. Nothing is ever written
/// under an entry's name.
struct ZipArchive: Sendable {
  /// One file of an archive.
  struct Entry: Sendable {
    /// How the bytes are kept.
    enum Method: Int, Sendable {
      case stored = 0
      case deflated = 8
    }

    /// The name, with its folders.
    let name: EntryName
    /// How the bytes are kept; `nil` when Forge does not read it.
    let method: Method?
    /// The number of the method; `nil` for an encrypted entry.
    let methodNumber: Int?
    /// The bytes in the archive.
    let storedCount: Int
    /// The bytes, uncompressed.
    let count: Int
    /// The checksum of the uncompressed bytes.
    let checksum: UInt32
    /// Where the entry's own header is.
    let headerOffset: Int
  }

  /// The path of the archive, as it was given.
  var path: String { file.path }
  /// The file.
  let file: InputFile
  /// The files in the archive, in the order of its directory; no folders.
  let entries: [Entry]
  private let limits: LoadLimits
  private let indices: [EntryName: Int]
  /// Where the bytes of each entry lie.
  private let ranges: [Range<Int>]

  /// Whether bytes begin as an archive does; one without entries has only its end.
  static func begins(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  /// Reads the directory of an archive.
  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    guard Zlib.isPresent else { throw .needsTrait(file.path, "Zip", "zip archives") }
    var directory = try ZipDirectory(file, budget)
    let entries = try directory.entries()
    var indices: [EntryName: Int] = [:]
    var ranges: [Range<Int>] = []
    for (index, entry) in entries.enumerated() {
      guard indices.updateValue(index, forKey: entry.name) == nil else {
        throw .duplicateEntry(file.path, entry.name.text)
      }
      ranges.append(try directory.range(of: entry))
    }
    try Self.checkApart(entries, ranges, file.path)
    // A name that is not UTF-8 can only be asked for as it is shown.
    for (index, entry) in entries.enumerated() {
      let shown = EntryName(entry.name.text)
      if shown != entry.name, indices[shown] == nil { indices[shown] = index }
    }
    self.file = file
    self.limits = budget.limits
    self.entries = entries
    self.indices = indices
    self.ranges = ranges
  }

  /// Throws when two entries share bytes: a small archive could unpack to anything.
  private static func checkApart(
    _ entries: [Entry], _ ranges: [Range<Int>], _ path: String
  ) throws(LoadError) {
    let order = entries.indices.sorted { entries[$0].headerOffset < entries[$1].headerOffset }
    for (first, second) in zip(order, order.dropFirst())
    where ranges[first].upperBound > entries[second].headerOffset {
      throw .damaged(
        path, entry: entries[second].name.text, "its bytes are another entry's, too",
        at: entries[second].headerOffset)
    }
  }

  /// The bytes of a file in the archive; `nil` when there is none of that name.
  func bytes(named name: EntryName) throws(LoadError) -> ZipBytes? {
    guard let index = indices[name] else { return nil }
    let entry = entries[index]
    guard entry.method != nil else {
      throw .unsupported(
        path, entry: name.text,
        entry.methodNumber.map { "compression method \($0)" } ?? "an encrypted entry",
        needs: "entries that are stored or deflated")
    }
    return ZipBytes(file, entry, ranges[index], limits: limits)
  }

  /// The names of the files, for messages: those that are shown.
  var firstNames: [String] { entries.prefix(9).map(\.name.text) }
}
