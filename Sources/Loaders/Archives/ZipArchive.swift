/// A zip archive: `.npz` and `.keras` files.
///
/// Every offset and size in its directory is checked. Entries must not overlap or have duplicate
/// names, so the size of an archive bounds its decompressed size. Entry names are never used as
/// paths for writing.
struct ZipArchive: Sendable {
  struct Entry: Sendable {
    enum Method: Int, Sendable {
      case stored = 0
      case deflated = 8
    }

    /// The full name, including folders.
    let name: EntryName
    /// The number of the compression method; `nil` for an encrypted entry.
    let methodNumber: Int?
    /// The number of bytes in the archive.
    let storedCount: Int
    /// The number of bytes, uncompressed.
    let count: Int
    /// The checksum of the uncompressed bytes.
    let checksum: UInt32
    /// The offset of the entry's own header.
    let headerOffset: Int
    /// The range of the entry's stored bytes in the archive, taken from its header.
    var range = 0..<0

    /// The compression method; `nil` if unsupported or encrypted.
    var method: Method? { methodNumber.flatMap { Method(rawValue: $0) } }
  }

  let file: InputFile
  /// The files in the archive, in the order of its directory; no folders.
  let entries: [Entry]
  private let limits: LoadLimits
  private let indices: [EntryName: Int]

  /// Whether bytes begin with a zip signature; an empty archive has only an end record.
  static func begins(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    guard Zlib.isPresent else { throw file.located(.needsTrait("Zip", "zip archives")) }
    self.file = file
    limits = budget.limits
    var indices: [EntryName: Int] = [:]
    entries = try file.locating { () throws(LoadError) in
      let directory = try ZipDirectory(file, budget)
      var entries = try directory.entries()
      for index in entries.indices {
        let name = entries[index].name
        guard indices.updateValue(index, forKey: name) == nil else {
          throw .duplicateEntry(name.text)
        }
        entries[index].range = try directory.range(of: entries[index])
      }
      try Self.checkApart(entries)
      return entries
    }
    // A name that is not UTF-8 can also be looked up by its displayed form.
    for (index, entry) in entries.enumerated() {
      let shown = EntryName(entry.name.text)
      if shown != entry.name, indices[shown] == nil { indices[shown] = index }
    }
    self.indices = indices
  }

  /// Throws if entries overlap, which would let a small archive decompress to any size.
  private static func checkApart(_ entries: [Entry]) throws(LoadError) {
    let order = entries.sorted { $0.headerOffset < $1.headerOffset }
    for (first, second) in zip(order, order.dropFirst())
    where first.range.upperBound > second.headerOffset {
      throw .damaged(
        "its bytes are another entry's, too", entry: second.name.text, at: second.headerOffset)
    }
  }

  /// The bytes of the entry with a name; `nil` if there is none.
  func bytes(named name: EntryName) throws(LoadError) -> ZipBytes? {
    guard let entry = indices[name].map({ entries[$0] }) else { return nil }
    guard entry.method != nil else {
      throw file.located(
        .unsupported(
          entry.methodNumber.map { "compression method \($0)" } ?? "an encrypted entry",
          needs: "entries that are stored or deflated"), name.text)
    }
    return ZipBytes(file: file, entry: entry, limits: limits)
  }

  /// The bytes of a required entry, which errors call `shown`.
  func existing(_ name: EntryName, shown: String? = nil) throws(LoadError) -> ZipBytes {
    if let found = try bytes(named: name) { return found }
    // Messages show eight names.
    let names = entries.prefix(9).map(\.name.text)
    throw file.located(.noSuchEntry(found: names), shown ?? name.text)
  }
}
