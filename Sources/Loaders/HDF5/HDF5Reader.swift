/// Reads the structure of an HDF5 file: bytes by address, and heaps of strings.
///
/// Structure is scattered among the values, so it is read through a page cache. The budget counts
/// every byte.
///
/// Each call uses its own reader, so threads and forked processes can read a file without a lock.
final class HDF5Reader {
  /// The maximum number of cached objects of all heaps.
  private static let maximumHeapObjects = 1 << 20
  /// The memory overhead of an entry or a name, in bytes.
  private static let entryBytes = 32

  let head: HDF5Superblock
  /// Counts bytes read or allocated; a unit of work counts as 32 bytes.
  let budget: LoadBudget
  private let window: InputWindow
  /// The range of each object, by heap address and object index.
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
    // Copies the bytes, because a slice would keep a whole page alive.
    let bytes = Array(try window.bytes(start..<start + length))
    return ByteCursor(bytes[...], at: address, what)
  }

  /// The payload of a block with a signature, a version and a verified checksum.
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

  /// A string, without the bytes from the first NUL on.
  func text(_ bytes: ArraySlice<UInt8>) throws(LoadError) -> [UInt8] {
    let text = bytes.prefix { $0 != 0 }
    try budget.take(bytes: text.count + Self.entryBytes)
    return Array(text)
  }

  /// The string of a heap object.
  func text(at address: Int?, index: Int, length: Int) throws(LoadError) -> [UInt8] {
    guard length > 0, let address, index > 0 else { return [] }
    guard let range = try heap(at: address)[index], length <= range.count else {
      throw .damaged("a string that is missing", at: address)
    }
    var cursor = try cursor(range.lowerBound, length, "a text")
    return try text(try cursor.raw(length))
  }

  /// The range of each object of a heap.
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
      // Object 0 is the free space at the end of the heap.
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
