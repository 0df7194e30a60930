/// What a list of chunks says of one of them.
struct HDF5ChunkElement {
  /// Whether the list is one of filtered chunks, which need not all have the same size.
  private let isFiltered: Bool
  private let sizeBytes: Int
  private let head: HDF5Superblock
  /// The bytes of one element.
  let byteCount: Int

  /// The form of the elements of a list.
  ///
  /// - Parameters:
  ///   - client: 0 for chunks as they are, 1 for filtered ones.
  ///   - byteCount: the bytes of one element.
  ///   - layout: the dataset.
  ///   - head: the head of the file.
  /// - Throws: when these do not fit together.
  init(
    client: Int, byteCount: Int, _ layout: HDF5Chunks, _ head: HDF5Superblock
  ) throws(HDF5Fault) {
    isFiltered = client == 1
    sizeBytes = byteCount - head.offsetSize - 4
    self.head = head
    self.byteCount = byteCount
    guard client == (layout.filters.filters.isEmpty ? 0 : 1),
      isFiltered ? (1...8).contains(sizeBytes) : byteCount == head.offsetSize
    else { throw .damaged("a list of chunks of another kind") }
  }

  /// Reads an element and notes its chunk, if there is one.
  func read(
    _ cursor: inout HDF5Cursor, number: Int, into list: inout HDF5ChunkList
  ) throws(HDF5Fault) {
    let address = try cursor.address(head)
    let stored = isFiltered ? try cursor.integer(sizeBytes) : list.layout.byteCount
    let mask = isFiltered ? try cursor.integer(4) : 0
    guard let address else { return }
    try list.add(address: address, stored: stored, mask: mask, number: number)
  }
}

/// The chunks of a dataset that cannot grow, in a list.
enum HDF5FixedArray {
  private static let what = "a list of chunks"

  /// Reads all chunks of the list at an address.
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(HDF5Fault) {
    let reader = list.reader
    let head = reader.head
    var cursor = try reader.cursor(address, 12 + head.lengthSize + head.offsetSize, what)
    try cursor.expect("FAHD")
    try cursor.expectVersion(0)
    let client = try cursor.byte()
    let element = try HDF5ChunkElement(
      client: client, byteCount: try cursor.byte(), list.layout, head)
    let pageBits = try cursor.byte()
    let count = try cursor.length(head)
    let block = try cursor.address(head)
    try cursor.expectChecksum()
    guard let block else { return }
    guard pageBits < 32, count <= head.count / element.byteCount else {
      throw .damaged("a list of chunks is too long", at: address)
    }
    let pageCount = 1 << pageBits
    let pages = count > pageCount ? (count - 1) / pageCount + 1 : 0
    let prefix = 6 + head.offsetSize
    // A list in pages has a bit for each that was written; another has its elements here.
    let body = pages > 0 ? (pages + 7) / 8 : count * element.byteCount
    cursor = try reader.cursor(block, prefix + body + 4, what)
    try cursor.expect("FADB")
    try cursor.expectVersion(0)
    guard try cursor.byte() == client, try cursor.address(head) == address else {
      throw .damaged("a list of chunks belongs to another", at: block)
    }
    let content = try cursor.part(body, what)
    try cursor.expectChecksum()
    let start = block + prefix + body + 4
    try HDF5ChunkPages(
      reader, element: element, count: count, pageCount: pages > 0 ? pageCount : count,
      content: content, pagesAt: pages > 0 ? start : nil, what: what
    ).read(into: &list)
  }
}

/// The elements of a fixed list, all in one piece or in pages.
private struct HDF5ChunkPages {
  let reader: HDF5Reader
  let element: HDF5ChunkElement
  let count: Int
  let pageCount: Int
  /// The elements, or the bits of the pages that were written.
  let content: HDF5Cursor
  let pagesAt: Int?
  let what: String

  init(
    _ reader: HDF5Reader, element: HDF5ChunkElement, count: Int, pageCount: Int,
    content: HDF5Cursor, pagesAt: Int?, what: String
  ) {
    self.reader = reader
    self.element = element
    self.count = count
    self.pageCount = pageCount
    self.content = content
    self.pagesAt = pagesAt
    self.what = what
  }

  func read(into list: inout HDF5ChunkList) throws(HDF5Fault) {
    let order = try HDF5ChunkOrder(list.layout)
    var page: (number: Int, content: HDF5Cursor?)?
    for number in 0..<list.layout.total {
      try reader.count(bytes: element.byteCount)
      let place = try order.offset(of: number)
      guard place < count else { throw .damaged("a list of chunks is too short") }
      let index = place / pageCount
      if page?.number != index { page = (index, try load(index)) }
      guard var cursor = page?.content else { continue }
      try cursor.skip(place % pageCount * element.byteCount)
      try element.read(&cursor, number: number, into: &list)
    }
  }

  /// The elements of a page; `nil` when it was not written.
  private func load(_ page: Int) throws(HDF5Fault) -> HDF5Cursor? {
    guard let pagesAt else { return content }
    var bits = content
    try bits.skip(page / 8)
    guard try bits.byte() & (0x80 >> (page % 8)) != 0 else { return nil }
    let fullBytes = pageCount * element.byteCount
    let bytes = min(pageCount, count - page * pageCount) * element.byteCount
    var cursor = try reader.cursor(pagesAt + page * (fullBytes + 4), bytes + 4, what)
    let elements = try cursor.part(bytes, what)
    try cursor.expectChecksum()
    return elements
  }
}
