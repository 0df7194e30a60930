/// The directory at the end of a zip archive, and the headers it leads to.
struct ZipDirectory {
  private static let maximumRatio = 1032
  /// The record at the end, without the comment that may follow it.
  private static let endBytes = 22
  /// The record of a large archive, and the one that says where it is.
  private static let largeEndBytes = 56
  private static let largePlaceBytes = 20
  private static let headerBytes = 30

  private let path: String
  private let file: InputFile
  private let budget: LoadBudget
  private let headers: InputWindow
  /// Where the directory begins; the entries are before it.
  private let start: Int
  private let end: Int
  private let count: Int

  /// Finds the directory.
  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    self.file = file
    self.budget = budget
    path = file.path
    headers = InputWindow(file)
    // The comment has a length of two bytes; before the end may be the record that says where a
    // large archive's is.
    let most = Self.endBytes + 0xffff + Self.largePlaceBytes
    let first = max(file.count - most, 0)
    let tail = try file.bytes(first..<file.count)
    let large: (count: Int, length: Int, start: Int, limit: Int)?
    var small: (count: Int, length: Int, start: Int, limit: Int)
    var isWhole: Bool
    (small, large, isWhole) = try tail.withBytes { bytes throws(LoadError) in
      var cursor = ByteCursor(bytes, base: first, path: file.path)
      let end = try Self.end(bytes, first, of: file)
      try cursor.seek(to: end + 4, "the end")
      let disks = try cursor.unsigned(4, "the end")
      let count = try cursor.integer(2, "the end")
      let countInAll = try cursor.integer(2, "the end")
      let length = try cursor.integer(4, "the end")
      let start = try cursor.integer(4, "the end")
      return (
        (count, length, start, end), try Self.largeEnd(&cursor, before: end, of: file),
        disks == 0 && count == countInAll
      )
    }
    if let large {
      small = large
      isWhole = true
    }
    guard isWhole else { throw Self.severalFiles(path) }
    guard small.start <= small.limit, small.length == small.limit - small.start else {
      throw .damaged(
        path, entry: nil, "its directory is not where its end says", at: small.limit)
    }
    guard small.count <= budget.limits.entries else {
      throw .beyondLimit(path, "an archive of \(small.count) entries", limit: "entries")
    }
    start = small.start
    end = small.limit
    count = small.count
  }

  private static func severalFiles(_ path: String) -> LoadError {
    .unsupported(
      path, entry: nil, "an archive in several files", needs: "one file")
  }

  /// Where the record that ends an archive is: before the comment, which ends the file.
  private static func end(
    _ bytes: UnsafeRawBufferPointer, _ first: Int, of file: InputFile
  ) throws(LoadError) -> Int {
    let last = bytes.count - endBytes
    for place in stride(from: last, through: max(last - 0xffff, 0), by: -1)
    where bytes[place] == 0x50 && bytes[place + 1] == 0x4b && bytes[place + 2] == 5
      && bytes[place + 3] == 6
    {
      let comment = Int(bytes[place + 20]) | Int(bytes[place + 21]) << 8
      if place + endBytes + comment == bytes.count { return first + place }
    }
    guard try file.prefix(4).withBytes({ ZipArchive.begins($0) }) else {
      throw .notThisFormat(file.path, entry: nil, "a zip archive", size: file.count)
    }
    throw .damaged(file.path, entry: nil, "the directory at its end is missing")
  }

  /// The numbers of an archive that is too large for the usual record; `nil` when it has no
  /// other.
  private static func largeEnd(
    _ cursor: inout ByteCursor, before end: Int, of file: InputFile
  ) throws(LoadError) -> (count: Int, length: Int, start: Int, limit: Int)? {
    guard end >= largePlaceBytes else { return nil }
    try cursor.seek(to: end - largePlaceBytes, "the end")
    guard try cursor.unsigned(4, "the end") == 0x0706_4b50 else { return nil }
    _ = try cursor.raw(4, "the end")
    let place = try cursor.integer(8, "the end")
    guard place <= end - largePlaceBytes - largeEndBytes else {
      throw cursor.damaged("its end is not where it says")
    }
    let record = try file.bytes(place..<(place + largeEndBytes))
    return try record.withBytes { bytes throws(LoadError) in
      var cursor = ByteCursor(bytes, base: place, path: file.path)
      guard try cursor.unsigned(4, "the end") == 0x0606_4b50 else {
        throw cursor.damaged("its end is not where it says")
      }
      _ = try cursor.raw(12, "the end")
      let disks = try cursor.unsigned(8, "the end")
      let count = try cursor.integer(8, "the end")
      let countInAll = try cursor.integer(8, "the end")
      let length = try cursor.integer(8, "the end")
      let start = try cursor.integer(8, "the end")
      guard disks == 0, count == countInAll else { throw severalFiles(file.path) }
      return (count, length, start, place)
    }
  }

  // MARK: Entries

  /// The files the directory lists.
  mutating func entries() throws(LoadError) -> [ZipArchive.Entry] {
    try budget.take(bytes: end - start)
    let bytes = try file.bytes(start..<end)
    return try bytes.withBytes { bytes throws(LoadError) in
      var cursor = ByteCursor(bytes, base: start, path: path)
      var entries: [ZipArchive.Entry] = []
      for _ in 0..<count {
        try budget.take(entries: 1)
        let entry = try entry(&cursor)
        // A name that ends so is a folder's.
        if !entry.name.hasSuffix("/") { entries.append(entry) }
      }
      return entries
    }
  }

  private func entry(_ cursor: inout ByteCursor) throws(LoadError) -> ZipArchive.Entry {
    guard try cursor.unsigned(4, "the directory") == 0x0201_4b50 else {
      throw cursor.damaged("the directory has no entry here")
    }
    _ = try cursor.raw(4, "the directory")
    let flags = try cursor.integer(2, "the directory")
    let method = try cursor.integer(2, "the directory")
    _ = try cursor.raw(4, "the directory")
    let checksum = UInt32(truncatingIfNeeded: try cursor.unsigned(4, "the directory"))
    let sizes = [
      try cursor.integer(4, "the directory"), try cursor.integer(4, "the directory"),
    ]
    let nameLength = try cursor.integer(2, "the directory")
    let extraLength = try cursor.integer(2, "the directory")
    let commentLength = try cursor.integer(2, "the directory")
    let disk = try cursor.integer(2, "the directory")
    _ = try cursor.raw(6, "the directory")
    let offset = try cursor.integer(4, "the directory")
    let name = try budget.name(try cursor.raw(nameLength, "the directory"))
    let extraStart = cursor.offset
    let extra = ByteCursor(
      try cursor.raw(extraLength, "the directory"), base: extraStart, path: path)
    _ = try cursor.raw(commentLength, "the directory")
    guard disk == 0 || disk == 0xffff else { throw Self.severalFiles(path) }
    let large = try Self.large([sizes[1], sizes[0], offset], extra, name)
    let isReadable = flags & 0x2041 == 0
    return ZipArchive.Entry(
      name: name, method: isReadable ? .init(rawValue: method) : nil,
      methodNumber: isReadable ? method : nil,
      storedCount: large[1], count: large[0], checksum: checksum, headerOffset: large[2])
  }

  /// The numbers of an entry, those that are too large for their fields from the extra field.
  ///
  /// They are the uncompressed size, the compressed size and the place.
  private static func large(
    _ numbers: [Int], _ extra: ByteCursor, _ name: EntryName
  ) throws(LoadError) -> [Int] {
    guard numbers.contains(0xffff_ffff) else { return numbers }
    var extra = extra
    while extra.left >= 4 {
      let start = extra.offset + 4
      let kind = try extra.integer(2, "the extra field")
      let length = try extra.integer(2, "the extra field")
      let bytes = try extra.raw(length, "the extra field")
      guard kind == 1 else { continue }
      var field = ByteCursor(bytes, base: start, path: extra.path, entry: name.text)
      var numbers = numbers
      for index in numbers.indices where numbers[index] == 0xffff_ffff {
        numbers[index] = try field.integer(8, "the extra field")
      }
      return numbers
    }
    return numbers
  }

  /// Where the bytes of an entry lie, after a look at the header before them.
  mutating func range(of entry: ZipArchive.Entry) throws(LoadError) -> Range<Int> {
    func damaged(_ what: String) -> LoadError {
      .damaged(path, entry: entry.name.text, what, at: entry.headerOffset)
    }
    let place = entry.headerOffset
    guard place <= start else { throw damaged("its header lies outside the file") }
    guard start - place >= Self.headerBytes else { throw damaged("it has no header") }
    var cursor = ByteCursor(
      try headers.bytes(place..<(place + Self.headerBytes)), base: place, path: path)
    guard try cursor.unsigned(4, "a header") == 0x0403_4b50 else {
      throw damaged("it has no header")
    }
    _ = try cursor.raw(22, "a header")
    let nameLength = try cursor.integer(2, "a header")
    let extraLength = try cursor.integer(2, "a header")
    let first = place + Self.headerBytes + nameLength + extraLength
    guard first <= start, entry.storedCount <= start - first else {
      throw damaged("its \(LoadError.bytes(entry.storedCount)) lie outside the file")
    }
    let name = try headers.bytes(
      (place + Self.headerBytes)..<(place + Self.headerBytes + nameLength))
    // Two readers must not see two archives in one file.
    guard name.elementsEqual(entry.name.bytes) else {
      throw damaged("its header has another name than the directory")
    }
    switch entry.method {
    case .stored where entry.count != entry.storedCount:
      throw damaged("it is stored in \(entry.storedCount) bytes and has \(entry.count)")
    case .deflated where entry.count / Self.maximumRatio > entry.storedCount:
      throw damaged("\(LoadError.bytes(entry.storedCount)) cannot hold \(entry.count)")
    default: break
    }
    return first..<(first + entry.storedCount)
  }
}
