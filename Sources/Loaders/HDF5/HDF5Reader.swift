/// One reading of an HDF5 file's structure: its bytes by address, and the heaps of texts met so
/// far.
///
/// It belongs to one call: what it keeps is forgotten afterwards, so that a file may be asked by
/// many threads at once without a lock, also after a fork.
final class HDF5Reader {
  /// Objects of all heaps that are kept at a time.
  private static let maximumHeapObjects = 1 << 20
  /// What an entry or a name takes besides its bytes.
  private static let entryBytes = 32

  let head: HDF5Superblock
  private let pages: HDF5Pages
  private var heaps: [Int: HDF5GlobalHeap] = [:]
  private var heapObjects = 0

  init(_ pages: HDF5Pages, _ head: HDF5Superblock) {
    self.pages = pages
    self.head = head
  }

  /// Throws unless `length` bytes at `address` lie in the file.
  func check(_ address: Int, _ length: Int, _ what: String) throws(HDF5Fault) {
    try head.check(address, length, what)
  }

  /// A cursor over `length` bytes at `address`.
  func cursor(_ address: Int, _ length: Int, _ what: String) throws(HDF5Fault) -> HDF5Cursor {
    try check(address, length, what)
    return HDF5Cursor(try pages.bytes(head.base + address, length), at: address, what)
  }

  /// A cursor over at most `length` bytes at `address`, fewer at the end of the file.
  func cursor(_ address: Int, upTo length: Int, _ what: String) throws(HDF5Fault) -> HDF5Cursor {
    try check(address, 0, what)
    return try cursor(address, min(length, head.count - address), what)
  }

  /// What a block of the newer form holds behind its signature and version, once its last four
  /// bytes are the checksum of all others.
  func block(
    _ signature: StaticString, at address: Int, _ length: Int, _ what: String
  ) throws(HDF5Fault) -> HDF5Cursor {
    var cursor = try cursor(address, length, what)
    try cursor.expect(signature)
    try cursor.expectVersion(0)
    return try cursor.checked()
  }

  // MARK: What is made of the bytes

  /// Counts bytes that are about to be made, or one piece of work for each 32 of them.
  func count(bytes: Int) throws(HDF5Fault) {
    try HDF5Fault.wrapping { () throws(LoadError) in try pages.budget.take(bytes: bytes) }
  }

  /// Counts an entry that is about to be listed.
  func countEntry() throws(HDF5Fault) {
    try HDF5Fault.wrapping { () throws(LoadError) in
      try pages.budget.take(entries: 1)
      try pages.budget.take(bytes: Self.entryBytes)
    }
  }

  /// A name made of bytes.
  func name(_ bytes: some Collection<UInt8>) throws(HDF5Fault) -> EntryName {
    try HDF5Fault.wrapping { () throws(LoadError) in
      try pages.budget.take(bytes: Self.entryBytes)
      return try pages.budget.name(bytes)
    }
  }

  /// Throws when groups lie deeper in each other than they may.
  func check(depth: Int) throws(HDF5Fault) {
    try HDF5Fault.wrapping { () throws(LoadError) in try pages.budget.check(depth: depth) }
  }

  /// Throws when a path is longer than names may be.
  func check(pathBytes: Int) throws(HDF5Fault) {
    try HDF5Fault.wrapping { () throws(LoadError) in try pages.budget.check(nameBytes: pathBytes) }
  }

  // MARK: Texts

  /// A text that ends with a NUL, or with its bytes.
  func text(_ bytes: ArraySlice<UInt8>) throws(HDF5Fault) -> [UInt8] {
    let text = bytes.prefix { $0 != 0 }
    try count(bytes: text.count + Self.entryBytes)
    return Array(text)
  }

  /// The text of an object of a heap.
  func text(at address: Int?, index: Int, length: Int) throws(HDF5Fault) -> [UInt8] {
    guard length > 0, let address, index > 0 else { return [] }
    guard let range = try heap(at: address).objects[index], length <= range.count else {
      throw .damaged("a text that is not there", at: address)
    }
    var cursor = try cursor(range.lowerBound, length, "a text")
    return try text(try cursor.raw(length))
  }

  private func heap(at address: Int) throws(HDF5Fault) -> HDF5GlobalHeap {
    if let known = heaps[address] { return known }
    let heap = try HDF5GlobalHeap(at: address, self)
    if heapObjects + heap.objects.count > Self.maximumHeapObjects {
      heaps = [:]
      heapObjects = 0
    }
    heaps[address] = heap
    heapObjects += heap.objects.count
    return heap
  }
}

/// A collection of texts of variable length, apart from the attributes that have them.
struct HDF5GlobalHeap {
  /// Where the object of each number lies.
  let objects: [Int: Range<Int>]

  init(at address: Int, _ reader: HDF5Reader) throws(HDF5Fault) {
    let head = reader.head
    var start = try reader.cursor(address, 8 + head.lengthSize, "a heap of texts")
    try start.expect("GCOL")
    try start.expectVersion(1)
    try start.skip(3)
    let length = try start.length(head)
    var cursor = try reader.cursor(address, length, "a heap of texts")
    try cursor.skip(8 + head.lengthSize)
    var objects: [Int: Range<Int>] = [:]
    while cursor.left >= 8 + head.lengthSize {
      let index = try cursor.integer(2)
      try cursor.skip(6)
      let size = try cursor.length(head)
      // The object 0 is the free space, and the last.
      guard index > 0 else { break }
      guard size <= cursor.left else {
        throw .damaged("a text is longer than its heap", at: cursor.offset)
      }
      objects[index] = cursor.offset..<(cursor.offset + size)
      try cursor.skip(min((size + 7) / 8 * 8, cursor.left))
    }
    self.objects = objects
  }
}
