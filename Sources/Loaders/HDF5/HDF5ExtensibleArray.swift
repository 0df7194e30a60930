/// The chunks of a dataset that can grow along one axis, in a list of parts that double in size.
///
/// The first elements stand in an index block. Those that follow are in data blocks, which the index
/// block knows directly or through super blocks; large data blocks come in pages.
struct HDF5ExtensibleArray {
  private static let what = "a list of chunks"

  /// Reads all chunks of the list at an address.
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(HDF5Fault) {
    guard var array = try HDF5ExtensibleArray(at: address, list.layout, list.reader) else { return }
    let order = try HDF5ChunkOrder(list.layout)
    for number in 0..<list.layout.total {
      try list.reader.count(bytes: array.element.byteCount)
      guard var cursor = try array.cursor(at: try order.offset(of: number)) else { continue }
      try array.element.read(&cursor, number: number, into: &list)
    }
  }

  /// The sizes that all parts follow from.
  private struct Form {
    let maximumBits: Int
    let indexElements: Int
    let leastElements: Int
    let leastPointers: Int
    let pageElements: Int

    /// Data blocks of the super block of a number.
    func blocks(_ number: Int) -> Int { 1 << (number / 2) }

    /// Elements in each of them.
    func elements(_ number: Int) -> Int { leastElements << ((number + 1) / 2) }

    /// Elements before those of a super block, not counting those of the index block.
    func start(_ number: Int) -> Int { leastElements * (1 << number - 1) }

    /// Super blocks whose data blocks the index block knows directly.
    var directSuperBlocks: Int { 2 * leastPointers.trailingZeroBitCount }

    /// Data blocks that the index block knows directly.
    var directBlocks: Int { 2 * (leastPointers - 1) }

    /// Super blocks of all.
    var superBlocks: Int { 1 + maximumBits - leastElements.trailingZeroBitCount }
  }

  private struct SuperBlock {
    let pageBits: HDF5Cursor
    let addresses: HDF5Cursor
  }

  let element: HDF5ChunkElement
  private let reader: HDF5Reader
  private let address: Int
  private let client: Int
  private let form: Form
  private let direct: HDF5Cursor
  private let blocks: HDF5Cursor
  private let superBlocks: HDF5Cursor
  // Every part is read once.
  private var knownSuperBlocks: [Int: SuperBlock] = [:]
  private var known: [Int: HDF5Cursor] = [:]

  private var head: HDF5Superblock { reader.head }

  /// Reads the head and the index block; `nil` when nothing was written.
  private init?(
    at address: Int, _ layout: HDF5Chunks, _ reader: HDF5Reader
  ) throws(HDF5Fault) {
    let head = reader.head
    let length = 16 + 6 * head.lengthSize + head.offsetSize
    var cursor = try reader.cursor(address, length, Self.what)
    try cursor.expect("EAHD")
    try cursor.expectVersion(0)
    client = try cursor.byte()
    element = try HDF5ChunkElement(client: client, byteCount: try cursor.byte(), layout, head)
    form = try Self.form(&cursor)
    try cursor.skip(6 * head.lengthSize)
    let index = try cursor.address(head)
    try cursor.expectChecksum()
    guard let index else { return nil }

    let superBlocks = form.superBlocks - form.directSuperBlocks
    let body =
      form.indexElements * element.byteCount + (form.directBlocks + superBlocks) * head.offsetSize
    self.reader = reader
    self.address = address
    var block = try reader.cursor(index, 6 + head.offsetSize + body + 4, Self.what)
    try Self.expectHead("EAIB", client: client, array: address, &block, head)
    direct = try block.part(form.indexElements * element.byteCount, Self.what)
    blocks = try block.part(form.directBlocks * head.offsetSize, Self.what)
    self.superBlocks = try block.part(superBlocks * head.offsetSize, Self.what)
    try block.expectChecksum()
  }

  private static func form(_ cursor: inout HDF5Cursor) throws(HDF5Fault) -> Form {
    let start = cursor.offset
    let form = Form(
      maximumBits: try cursor.byte(), indexElements: try cursor.byte(),
      leastElements: try cursor.byte(), leastPointers: try cursor.byte(),
      pageElements: try powerOfTwo(&cursor))
    guard form.leastElements.nonzeroBitCount == 1, form.leastPointers.nonzeroBitCount == 1,
      form.leastPointers > 1, form.maximumBits <= 62, form.pageElements > 0,
      form.superBlocks >= form.directSuperBlocks
    else { throw .damaged("a list of chunks of impossible sizes", at: start) }
    return form
  }

  /// Two to the power of the next byte; 0 where that is too large.
  private static func powerOfTwo(_ cursor: inout HDF5Cursor) throws(HDF5Fault) -> Int {
    let bits = try cursor.byte()
    return bits < 32 ? 1 << bits : 0
  }

  /// Reads what all parts begin with.
  private static func expectHead(
    _ signature: StaticString, client: Int, array: Int, _ cursor: inout HDF5Cursor,
    _ head: HDF5Superblock
  ) throws(HDF5Fault) {
    let start = cursor.offset
    try cursor.expect(signature)
    try cursor.expectVersion(0)
    guard try cursor.byte() == client, try cursor.address(head) == array else {
      throw .damaged("a list of chunks belongs to another", at: start)
    }
  }

  /// The bytes in which parts say which elements are theirs.
  private var offsetBytes: Int { (form.maximumBits + 7) / 8 }

  // MARK: Elements

  /// A cursor at the element of an index; `nil` when it was never written.
  private mutating func cursor(at index: Int) throws(HDF5Fault) -> HDF5Cursor? {
    guard index >= form.indexElements else { return try at(index, in: direct) }
    let rest = index - form.indexElements
    let ratio = rest / form.leastElements + 1
    let number = Int.bitWidth - 1 - ratio.leadingZeroBitCount
    guard number < form.superBlocks else { throw .damaged("a list of chunks is too short") }
    let inside = rest - form.start(number)
    let elements = form.elements(number)
    let block = inside / elements
    let place = inside % elements
    if number < form.directSuperBlocks {
      // Before the blocks of a super block lie those of all smaller ones.
      let before = (0..<number).reduce(0) { $0 + form.blocks($1) }
      guard elements <= form.pageElements else {
        throw .unsupported("a list of chunks whose first parts have pages")
      }
      guard let address = try pointer(before + block, in: blocks) else { return nil }
      return try at(place, in: try dataBlock(address, elements: elements))
    }
    guard let address = try pointer(number - form.directSuperBlocks, in: superBlocks) else {
      return nil
    }
    let superBlock = try superBlock(address, number: number)
    guard let data = try pointer(block, in: superBlock.addresses) else { return nil }
    guard elements > form.pageElements else {
      return try at(place, in: try dataBlock(data, elements: elements))
    }
    let page = place / form.pageElements
    let bit = block * (elements / form.pageElements) + page
    var bits = superBlock.pageBits
    try bits.skip(bit / 8)
    guard try bits.byte() & (0x80 >> (bit % 8)) != 0 else { return nil }
    return try at(place % form.pageElements, in: try dataPage(page, of: data))
  }

  private func at(_ place: Int, in elements: HDF5Cursor) throws(HDF5Fault) -> HDF5Cursor {
    var cursor = elements
    try cursor.skip(place * element.byteCount)
    return cursor
  }

  private func pointer(_ place: Int, in pointers: HDF5Cursor) throws(HDF5Fault) -> Int? {
    var cursor = pointers
    try cursor.skip(place * head.offsetSize)
    return try cursor.address(head)
  }

  // MARK: Parts

  private mutating func superBlock(
    _ address: Int, number: Int
  ) throws(HDF5Fault) -> SuperBlock {
    if let known = knownSuperBlocks[number] { return known }
    let count = form.blocks(number)
    let pages = form.elements(number) / form.pageElements
    // Blocks of a page or less have no bits for pages.
    let bitBytes = form.elements(number) > form.pageElements ? (pages + 7) / 8 * count : 0
    let body = offsetBytes + bitBytes + count * head.offsetSize
    guard body <= head.count else { throw .damaged("a list of chunks is too long", at: address) }
    var cursor = try reader.cursor(address, 6 + head.offsetSize + body + 4, Self.what)
    try Self.expectHead("EASB", client: client, array: self.address, &cursor, head)
    try cursor.skip(offsetBytes)
    let block = SuperBlock(
      pageBits: try cursor.part(bitBytes, Self.what),
      addresses: try cursor.part(count * head.offsetSize, Self.what))
    try cursor.expectChecksum()
    knownSuperBlocks[number] = block
    return block
  }

  /// The elements of a data block without pages.
  private mutating func dataBlock(
    _ address: Int, elements: Int
  ) throws(HDF5Fault) -> HDF5Cursor {
    if let found = known[address] { return found }
    let body = elements * element.byteCount
    guard body <= head.count else { throw .damaged("a list of chunks is too long", at: address) }
    let length = 6 + head.offsetSize + offsetBytes + body + 4
    var cursor = try reader.cursor(address, length, Self.what)
    try Self.expectHead("EADB", client: client, array: self.address, &cursor, head)
    try cursor.skip(offsetBytes)
    let found = try cursor.part(body, Self.what)
    try cursor.expectChecksum()
    known[address] = found
    return found
  }

  /// The elements of a page of a data block.
  private mutating func dataPage(
    _ page: Int, of block: Int
  ) throws(HDF5Fault) -> HDF5Cursor {
    let prefix = 6 + head.offsetSize + offsetBytes + 4
    let body = form.pageElements * element.byteCount
    let (start, overflow) = block.addingReportingOverflow(prefix + page * (body + 4))
    guard !overflow else { throw .damaged("a list of chunks is too long", at: block) }
    if let found = known[start] { return found }
    var cursor = try reader.cursor(block, prefix, Self.what)
    try Self.expectHead("EADB", client: client, array: address, &cursor, head)
    try cursor.skip(offsetBytes)
    try cursor.expectChecksum()
    cursor = try reader.cursor(start, body + 4, Self.what)
    let found = try cursor.part(body, Self.what)
    try cursor.expectChecksum()
    known[start] = found
    return found
  }
}
