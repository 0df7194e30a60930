/// The directory at the end of a zip archive, and the headers it points to.
///
/// Its errors have no file.
struct ZipDirectory {
  /// The maximum compression ratio of deflate.
  private static let maximumRatio = 1032
  /// The size of the end record, without the optional comment.
  private static let endBytes = 22
  /// The sizes of the ZIP64 end record and of its locator.
  private static let largeEndBytes = 56
  private static let largePlaceBytes = 20
  private static let headerBytes = 30

  /// The end record of an archive.
  private struct End {
    let count: Int
    let start: Int
    let length: Int
    /// The offset of the record, where the directory ends.
    let offset: Int
    let isWhole: Bool

    /// Reads the fields of a record: counts of `countSize` bytes, other numbers of `size`.
    init(
      _ cursor: inout ByteCursor, at offset: Int, _ countSize: Int, _ size: Int
    ) throws(LoadError) {
      let disks = try cursor.unsigned(size)
      count = try cursor.integer(countSize)
      isWhole = try cursor.integer(countSize) == count && disks == 0
      length = try cursor.integer(size)
      start = try cursor.integer(size)
      self.offset = offset
    }
  }

  private let file: InputFile
  private let budget: LoadBudget
  private let headers: InputWindow
  private let end: End

  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    self.file = file
    self.budget = budget
    headers = InputWindow(file)
    // A comment has at most 0xffff bytes.
    let first = max(file.count - (Self.endBytes + 0xffff + Self.largePlaceBytes), 0)
    let tail = try file.array(first..<file.count)
    var cursor = ByteCursor(tail[...], at: first, "the end")
    let offset = first + (try Self.endPlace(tail, of: file))
    try cursor.seek(to: offset + 4)
    let small = try End(&cursor, at: offset, 2, 4)
    end = try Self.largeEnd(&cursor, before: offset, of: file) ?? small
    guard end.isWhole else { throw Self.severalFiles }
    guard end.start <= end.offset, end.length == end.offset - end.start else {
      throw .damaged("its directory is not where its end says", at: end.offset)
    }
    guard end.count <= budget.limits.entries else {
      throw .beyondLimit("an archive of \(end.count) entries", limit: "entries")
    }
  }

  private static let severalFiles = LoadError.unsupported(
    "an archive in several files", needs: "one file")

  /// The offset in `tail` of the end record whose comment extends to the end of the file.
  private static func endPlace(_ tail: [UInt8], of file: InputFile) throws(LoadError) -> Int {
    let last = tail.count - endBytes
    for start in stride(from: last, through: max(last - 0xffff, 0), by: -1)
    where tail[start...].starts(with: [0x50, 0x4b, 5, 6]) {
      let comment = Int(tail[start + 20]) | Int(tail[start + 21]) << 8
      if start + endBytes + comment == tail.count { return start }
    }
    guard ZipArchive.begins(try file.prefix(4)) else {
      throw .notThisFormat("a zip archive", size: file.count)
    }
    throw .damaged("the directory at its end is missing")
  }

  /// The end record of a ZIP64 archive; `nil` for other archives.
  private static func largeEnd(
    _ cursor: inout ByteCursor, before end: Int, of file: InputFile
  ) throws(LoadError) -> End? {
    guard end >= largePlaceBytes else { return nil }
    try cursor.seek(to: end - largePlaceBytes)
    guard try cursor.unsigned(4) == 0x0706_4b50 else { return nil }
    try cursor.skip(4)
    let start = try cursor.integer(8)
    guard start <= end - largePlaceBytes - largeEndBytes else {
      throw cursor.damaged("its end is not where it says")
    }
    let record = try file.array(start..<(start + largeEndBytes))
    var large = ByteCursor(record[...], at: start, "the end")
    guard try large.unsigned(4) == 0x0606_4b50 else {
      throw large.damaged("its end is not where it says")
    }
    try large.skip(12)
    return try End(&large, at: start, 8, 8)
  }

  // MARK: Entries

  /// The files that the directory lists.
  func entries() throws(LoadError) -> [ZipArchive.Entry] {
    try budget.take(bytes: end.length)
    let bytes = try file.array(end.start..<end.offset)
    var cursor = ByteCursor(bytes[...], at: end.start, "the directory")
    var entries: [ZipArchive.Entry] = []
    for _ in 0..<end.count {
      try budget.take(entries: 1)
      let entry = try entry(&cursor)
      // The name of a folder ends with a slash.
      if entry.name.bytes.last != UInt8(ascii: "/") { entries.append(entry) }
    }
    return entries
  }

  private func entry(_ cursor: inout ByteCursor) throws(LoadError) -> ZipArchive.Entry {
    guard try cursor.unsigned(4) == 0x0201_4b50 else {
      throw cursor.damaged("the directory has no entry here")
    }
    try cursor.skip(4)
    let flags = try cursor.integer(2)
    let method = try cursor.integer(2)
    try cursor.skip(4)
    let checksum = UInt32(truncatingIfNeeded: try cursor.unsigned(4))
    let storedCount = try cursor.integer(4)
    let count = try cursor.integer(4)
    let nameLength = try cursor.integer(2)
    let extraLength = try cursor.integer(2)
    let commentLength = try cursor.integer(2)
    let disk = try cursor.integer(2)
    try cursor.skip(6)
    let offset = try cursor.integer(4)
    let name = try budget.name(try cursor.raw(nameLength))
    var extra = try cursor.part(extraLength, "the extra field")
    try cursor.skip(commentLength)
    guard disk == 0 || disk == 0xffff else { throw Self.severalFiles }
    let large = try file.locating(name.text) { () throws(LoadError) in
      try Self.large([count, storedCount, offset], &extra)
    }
    let isEncrypted = flags & 0x2041 != 0
    return ZipArchive.Entry(
      name: name, methodNumber: isEncrypted ? nil : method,
      storedCount: large[1], count: large[0], checksum: checksum, headerOffset: large[2])
  }

  /// The uncompressed size, the compressed size and the offset of an entry.
  ///
  /// Numbers too large for their own fields are in the extra field.
  private static func large(
    _ numbers: [Int], _ extra: inout ByteCursor
  ) throws(LoadError) -> [Int] {
    var numbers = numbers
    while numbers.contains(0xffff_ffff), extra.left >= 4 {
      let kind = try extra.integer(2)
      var field = try extra.part(try extra.integer(2), "the extra field")
      guard kind == 1 else { continue }
      for index in numbers.indices where numbers[index] == 0xffff_ffff {
        numbers[index] = try field.integer(8)
      }
      break
    }
    return numbers
  }

  /// The range of an entry's bytes, after checking its header against the directory.
  func range(of entry: ZipArchive.Entry) throws(LoadError) -> Range<Int> {
    let start = entry.headerOffset
    func damaged(_ what: String) -> LoadError { .damaged(what, entry: entry.name.text, at: start) }
    guard start <= end.start else { throw damaged("its header lies outside the file") }
    guard end.start - start >= Self.headerBytes else { throw damaged("it has no header") }
    let names = start + Self.headerBytes
    var cursor = ByteCursor(try headers.bytes(start..<names), at: start, "a header")
    guard try cursor.unsigned(4) == 0x0403_4b50 else { throw damaged("it has no header") }
    try cursor.skip(22)
    let nameLength = try cursor.integer(2)
    let first = names + nameLength + (try cursor.integer(2))
    guard first <= end.start, entry.storedCount <= end.start - first else {
      throw damaged("its \(LoadError.bytes(entry.storedCount)) lie outside the file")
    }
    // A mismatch would let two readers interpret the archive differently.
    guard try headers.bytes(names..<(names + nameLength)).elementsEqual(entry.name.bytes) else {
      throw damaged("its header has a different name from the directory")
    }
    switch entry.method {
    case .stored where entry.count != entry.storedCount:
      throw damaged("it is stored in \(entry.storedCount) bytes and has \(entry.count)")
    case .deflated where entry.count / Self.maximumRatio > entry.storedCount:
      throw damaged("\(LoadError.bytes(entry.storedCount)) cannot hold \(entry.count)")
    default: return first..<(first + entry.storedCount)
    }
  }
}
