#if Zip
  /// The directory at the end of a zip archive, and the headers it leads to.
  struct ZipDirectory {
    private static let maximumEntries = 1 << 16
    private static let maximumRatio = 1032

    private let path: String
    private var cursor: ByteCursor
    /// Where the directory begins; the entries are before it.
    private let start: Int
    private let count: Int

    /// Finds the directory.
    init(_ mapping: FileMapping) throws(LoadError) {
      path = mapping.path
      cursor = ByteCursor(mapping.bytes, path: path)
      let end = try Self.end(of: mapping)
      try cursor.seek(to: end + 4, "the end")
      let disks = try cursor.unsigned(4, "the end")
      var count = try cursor.integer(2, "the end")
      let countInAll = try cursor.integer(2, "the end")
      var length = try cursor.integer(4, "the end")
      var start = try cursor.integer(4, "the end")
      var limit = end
      if let large = try Self.largeEnd(&cursor, before: end) {
        (count, length, start, limit) = large
      } else {
        guard disks == 0, count == countInAll else { throw Self.severalFiles(path) }
      }
      guard start <= limit, length == limit - start else {
        throw .damaged(
          path, entry: nil, "its directory is not where its end says", at: end)
      }
      guard count <= Self.maximumEntries else {
        throw .refused(path, entry: nil, "an archive of \(count) entries")
      }
      self.start = start
      self.count = count
    }

    private static func severalFiles(_ path: String) -> LoadError {
      .unsupported(
        path, entry: nil, "an archive in several files", needs: "one file")
    }

    /// Where the record that ends an archive is: before the comment, which ends the file.
    private static func end(of mapping: FileMapping) throws(LoadError) -> Int {
      let bytes = mapping.bytes
      let last = bytes.count - 22
      for place in stride(from: last, through: max(last - 0xffff, 0), by: -1)
      where bytes[place] == 0x50 && bytes[place + 1] == 0x4b && bytes[place + 2] == 5
        && bytes[place + 3] == 6
      {
        let comment = Int(bytes[place + 20]) | Int(bytes[place + 21]) << 8
        if place + 22 + comment == bytes.count { return place }
      }
      guard WeightFile.isZip(bytes) else {
        throw .notThisFormat(mapping.path, entry: nil, "a zip archive", size: bytes.count)
      }
      throw .damaged(mapping.path, entry: nil, "the directory at its end is missing")
    }

    /// The numbers of an archive that is too large for the usual record; `nil` when it has no
    /// other.
    private static func largeEnd(
      _ cursor: inout ByteCursor, before end: Int
    ) throws(LoadError) -> (count: Int, length: Int, start: Int, limit: Int)? {
      guard end >= 20 else { return nil }
      try cursor.seek(to: end - 20, "the end")
      guard try cursor.unsigned(4, "the end") == 0x0706_4b50 else { return nil }
      _ = try cursor.raw(4, "the end")
      let place = try cursor.integer(8, "the end")
      guard place <= end - 20 else { throw cursor.damaged("its end is not where it says") }
      try cursor.seek(to: place, "the end")
      guard try cursor.unsigned(4, "the end") == 0x0606_4b50 else {
        throw cursor.damaged("its end is not where it says")
      }
      _ = try cursor.raw(12, "the end")
      let disks = try cursor.unsigned(8, "the end")
      let count = try cursor.integer(8, "the end")
      let countInAll = try cursor.integer(8, "the end")
      let length = try cursor.integer(8, "the end")
      let start = try cursor.integer(8, "the end")
      guard disks == 0, count == countInAll else { throw severalFiles(cursor.path) }
      return (count, length, start, place)
    }

    // MARK: Entries

    /// The files the directory lists.
    mutating func entries() throws(LoadError) -> [ZipArchive.Entry] {
      try cursor.seek(to: start, "the directory")
      var entries: [ZipArchive.Entry] = []
      for _ in 0..<count {
        let entry = try self.entry()
        // A name that ends so is a folder's.
        if !entry.name.hasSuffix("/") { entries.append(entry) }
      }
      return entries
    }

    private mutating func entry() throws(LoadError) -> ZipArchive.Entry {
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
      let name = String(decoding: try cursor.raw(nameLength, "the directory"), as: UTF8.self)
      let extra = ByteCursor(try cursor.raw(extraLength, "the directory"), path: path, entry: name)
      _ = try cursor.raw(commentLength, "the directory")
      guard disk == 0 || disk == 0xffff else { throw Self.severalFiles(path) }
      let large = try Self.large([sizes[1], sizes[0], offset], extra)
      let isReadable = flags & 0x2041 == 0
      return ZipArchive.Entry(
        name: name, method: isReadable ? .init(rawValue: method) : nil,
        methodName: isReadable ? "compression method \(method)" : "an encrypted entry",
        storedCount: large[1], count: large[0], checksum: checksum, headerOffset: large[2])
    }

    /// The numbers of an entry, those that are too large for their fields from the extra field.
    ///
    /// They are the uncompressed size, the compressed size and the place.
    private static func large(
      _ numbers: [Int], _ extra: ByteCursor
    ) throws(LoadError) -> [Int] {
      guard numbers.contains(0xffff_ffff) else { return numbers }
      var extra = extra
      while extra.left >= 4 {
        let kind = try extra.integer(2, "the extra field")
        let length = try extra.integer(2, "the extra field")
        let bytes = try extra.raw(length, "the extra field")
        guard kind == 1 else { continue }
        var field = ByteCursor(bytes, path: extra.path, entry: extra.entry)
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
        .damaged(path, entry: entry.name, what, at: entry.headerOffset)
      }
      guard entry.headerOffset <= start else { throw damaged("its header lies outside the file") }
      try cursor.seek(to: entry.headerOffset, "a header")
      guard try cursor.unsigned(4, "a header") == 0x0403_4b50 else {
        throw damaged("it has no header")
      }
      _ = try cursor.raw(22, "a header")
      let nameLength = try cursor.integer(2, "a header")
      let extraLength = try cursor.integer(2, "a header")
      // Two readers must not see two archives in one file.
      guard String(decoding: try cursor.raw(nameLength, "a header"), as: UTF8.self) == entry.name
      else { throw damaged("its header has another name than the directory") }
      _ = try cursor.raw(extraLength, "a header")
      guard cursor.offset <= start, entry.storedCount <= start - cursor.offset else {
        throw damaged("its \(LoadError.bytes(entry.storedCount)) lie outside the file")
      }
      switch entry.method {
      case .stored where entry.count != entry.storedCount:
        throw damaged("it is stored in \(entry.storedCount) bytes and has \(entry.count)")
      case .deflated where entry.count / Self.maximumRatio > entry.storedCount:
        throw damaged("\(LoadError.bytes(entry.storedCount)) cannot hold \(entry.count)")
      default: break
      }
      return cursor.offset..<(cursor.offset + entry.storedCount)
    }
  }
#endif
