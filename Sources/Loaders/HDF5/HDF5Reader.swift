/// The bytes of an HDF5 file's structure, by their offsets in the file.
///
/// Structure is scattered among the values. A window avoids reading a file of many gigabytes to
/// find a few kilobytes, and the budget counts every byte.
struct HDF5Bytes {
  let input: InputFile
  let budget: LoadBudget
  private let window: InputWindow

  init(_ input: InputFile, _ limits: LoadLimits) {
    self.input = input
    budget = LoadBudget(limits, input)
    window = InputWindow(input)
  }

  /// A copy of `length` bytes, which the caller has checked to be in the file.
  func callAsFunction(_ offset: Int, _ length: Int) throws(LoadError) -> ArraySlice<UInt8> {
    try budget.take(bytes: length)
    // A slice of the window would keep a whole page alive.
    return Array(try window.bytes(offset..<offset + length))[...]
  }
}

/// One reading of an HDF5 file's structure: its bytes by address, and the heaps of texts.
///
/// It belongs to one call, and nothing of it outlives the call. Many threads can thus read a file
/// at once without a lock, also after a fork.
final class HDF5Reader {
  /// The objects of all heaps that are cached.
  private static let maximumHeapObjects = 1 << 20
  /// The memory of an entry or a name besides its bytes.
  private static let entryBytes = 32

  let head: HDF5Superblock
  private let bytes: HDF5Bytes
  private var heaps: [Int: HDF5GlobalHeap] = [:]
  private var heapObjects = 0

  init(_ bytes: HDF5Bytes, _ head: HDF5Superblock) {
    self.bytes = bytes
    self.head = head
  }

  /// Throws unless `length` bytes at `address` lie in the file.
  func check(_ address: Int, _ length: Int, _ what: String) throws(LoadError) {
    try head.check(address, length, what)
  }

  /// A cursor over `length` bytes at `address`.
  func cursor(_ address: Int, _ length: Int, _ what: String) throws(LoadError) -> ByteCursor {
    try check(address, length, what)
    return ByteCursor(try bytes(head.base + address, length), at: address, what)
  }

  /// A cursor over at most `length` bytes at `address`, fewer at the end of the file.
  func cursor(_ address: Int, upTo length: Int, _ what: String) throws(LoadError) -> ByteCursor {
    try check(address, 0, what)
    return try cursor(address, min(length, head.count - address), what)
  }

  /// The content of a block of the newer form, between its signature and version and its checksum,
  /// which is verified.
  func block(
    _ signature: StaticString, at address: Int, _ length: Int, _ what: String
  ) throws(LoadError) -> ByteCursor {
    var cursor = try cursor(address, length, what)
    try cursor.expect(signature)
    try cursor.expectVersion(0)
    return try cursor.checked()
  }

  // MARK: What is made of the bytes

  /// Counts bytes that are about to be made, or one piece of work for each 32 of them.
  func count(bytes count: Int) throws(LoadError) { try bytes.budget.take(bytes: count) }

  /// Counts an entry that is about to be listed.
  func countEntry() throws(LoadError) {
    try bytes.budget.take(entries: 1)
    try bytes.budget.take(bytes: Self.entryBytes)
  }

  /// Makes a name.
  func name(_ text: some Collection<UInt8>) throws(LoadError) -> EntryName {
    try bytes.budget.take(bytes: Self.entryBytes)
    return try bytes.budget.name(text)
  }

  /// Throws when groups are nested too deep.
  func check(depth: Int) throws(LoadError) { try bytes.budget.check(depth: depth) }

  /// Throws when a path is longer than names may be.
  func check(pathBytes: Int) throws(LoadError) {
    try bytes.budget.check(nameBytes: pathBytes)
  }

  // MARK: Texts

  /// A text, which may end with NUL bytes.
  func text(_ bytes: ArraySlice<UInt8>) throws(LoadError) -> [UInt8] {
    let text = bytes.prefix { $0 != 0 }
    try count(bytes: text.count + Self.entryBytes)
    return Array(text)
  }

  /// The text of a heap object.
  func text(at address: Int?, index: Int, length: Int) throws(LoadError) -> [UInt8] {
    guard length > 0, let address, index > 0 else { return [] }
    guard let range = try heap(at: address).objects[index], length <= range.count else {
      throw .damaged("a text that is not there", at: address)
    }
    var cursor = try cursor(range.lowerBound, length, "a text")
    return try text(try cursor.raw(length))
  }

  private func heap(at address: Int) throws(LoadError) -> HDF5GlobalHeap {
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

/// A heap of texts of variable length.
struct HDF5GlobalHeap {
  /// The bytes of each object.
  let objects: [Int: Range<Int>]

  init(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
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
      // Object 0 is the free space at the end.
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
