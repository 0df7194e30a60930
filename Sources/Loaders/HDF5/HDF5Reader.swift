/// One reading of an HDF5 file's structure: its bytes by address, and the heaps of texts.
///
/// Structure is scattered among the values. A window avoids reading a file of many gigabytes to
/// find a few kilobytes, and the budget counts every byte.
///
/// It belongs to one call, and nothing of it outlives the call. Many threads can thus read a file
/// at once without a lock, also after a fork.
final class HDF5Reader {
  /// The objects of all heaps that are cached.
  private static let maximumHeapObjects = 1 << 20
  /// The memory of an entry or a name besides its bytes.
  private static let entryBytes = 32

  let head: HDF5Superblock
  /// Counts bytes that are read or made, or one piece of work for each 32 of them.
  let budget: LoadBudget
  private let window: InputWindow
  /// The bytes of each text of each heap.
  private var heaps: [Int: [Int: Range<Int>]] = [:]
  private var heapObjects = 0

  init(_ input: InputFile, _ budget: LoadBudget, _ head: HDF5Superblock) {
    self.head = head
    self.budget = budget
    window = InputWindow(input)
  }

  /// A cursor over `length` bytes at `address`.
  func cursor(_ address: Int, _ length: Int, _ what: String) throws(LoadError) -> ByteCursor {
    try head.check(address, length, what)
    try budget.take(bytes: length)
    let start = head.base + address
    // A slice of the window would keep a whole page alive.
    let bytes = Array(try window.bytes(start..<start + length))
    return ByteCursor(bytes[...], at: address, what)
  }

  /// The content of a block of the newer form, between its signature and version and its checksum,
  /// which is verified.
  func block(
    _ signature: StaticString, at address: Int, _ length: Int, _ what: String
  ) throws(LoadError) -> ByteCursor {
    var cursor = try cursor(address, length, what)
    try cursor.expect(signature, version: 0)
    return try cursor.checked()
  }

  /// Counts an entry that is about to be listed.
  func countEntry() throws(LoadError) {
    try budget.take(entries: 1)
    try budget.take(bytes: Self.entryBytes)
  }

  func name(_ text: some Collection<UInt8>) throws(LoadError) -> EntryName {
    try budget.take(bytes: Self.entryBytes)
    return try budget.name(text)
  }

  /// A text, which may end with NUL bytes.
  func text(_ bytes: ArraySlice<UInt8>) throws(LoadError) -> [UInt8] {
    let text = bytes.prefix { $0 != 0 }
    try budget.take(bytes: text.count + Self.entryBytes)
    return Array(text)
  }

  /// The text of a heap object.
  func text(at address: Int?, index: Int, length: Int) throws(LoadError) -> [UInt8] {
    guard length > 0, let address, index > 0 else { return [] }
    guard let range = try heap(at: address)[index], length <= range.count else {
      throw .damaged("a text that is not there", at: address)
    }
    var cursor = try cursor(range.lowerBound, length, "a text")
    return try text(try cursor.raw(length))
  }

  /// The bytes of each object of a heap of texts.
  private func heap(at address: Int) throws(LoadError) -> [Int: Range<Int>] {
    if let known = heaps[address] { return known }
    let prefix = 8 + head.lengthSize
    var start = try cursor(address, prefix, "a heap of texts")
    try start.expect("GCOL", version: 1)
    try start.skip(3)
    var cursor = try cursor(address, try start.length(head), "a heap of texts")
    try cursor.skip(prefix)
    var objects: [Int: Range<Int>] = [:]
    while cursor.left >= prefix {
      let index = try cursor.integer(2)
      try cursor.skip(6)
      let size = try cursor.length(head)
      // Object 0 is the free space at the end.
      guard index > 0 else { break }
      guard size <= cursor.left else {
        throw .damaged("a text is longer than its heap", at: cursor.offset)
      }
      objects[index] = cursor.offset..<(cursor.offset + size)
      try cursor.skip(min((size + 7) / 8 * 8, cursor.left))
    }
    if heapObjects + objects.count > Self.maximumHeapObjects {
      heaps = [:]
      heapObjects = 0
    }
    heaps[address] = objects
    heapObjects += objects.count
    return objects
  }
}
