/// A list of chunks, which has an element for each chunk that its dataset may have.
protocol HDF5ChunkArray {
  /// What the list is made of.
  var parts: HDF5ChunkParts { get }

  /// Reads the head of the list at an address; `nil` when nothing was written.
  init?(at address: Int, _ list: HDF5ChunkList) throws(LoadError)

  /// A cursor at the element of an index; `nil` when it was never written.
  mutating func cursor(at index: Int) throws(LoadError) -> ByteCursor?
}

extension HDF5ChunkArray {
  /// Reads all chunks of the list at an address.
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(LoadError) {
    guard var array = try Self(at: address, list) else { return }
    let order = try HDF5ChunkOrder(list.layout)
    for number in 0..<list.layout.total {
      try list.reader.count(bytes: array.parts.elementBytes)
      guard var cursor = try array.cursor(at: try order.offset(of: number)) else { continue }
      try array.parts.readElement(&cursor, number: number, into: &list)
    }
  }
}

/// What every list of chunks is made of: a head, and blocks of elements that name it.
struct HDF5ChunkParts {
  private static let what = "a list of chunks"

  /// The bytes of one element.
  let elementBytes: Int
  private let reader: HDF5Reader
  private let address: Int
  /// 0 for chunks as they are, 1 for filtered ones, which need not all have the same size.
  private let client: Int

  private var isFiltered: Bool { client == 1 }
  private var sizeBytes: Int { elementBytes - reader.head.offsetSize - 4 }

  /// Reads what the head of a list begins with.
  ///
  /// - Returns: the parts, and a cursor at the rest of the head.
  static func head(
    _ signature: StaticString, at address: Int, _ length: Int, _ list: HDF5ChunkList
  ) throws(LoadError) -> (parts: HDF5ChunkParts, rest: ByteCursor) {
    var cursor = try list.reader.block(signature, at: address, length, what)
    let client = try cursor.byte()
    let parts = HDF5ChunkParts(
      elementBytes: try cursor.byte(), reader: list.reader, address: address, client: client)
    guard client == (list.layout.filters.filters.isEmpty ? 0 : 1),
      parts.isFiltered
        ? (1...8).contains(parts.sizeBytes) : parts.elementBytes == list.reader.head.offsetSize
    else { throw .damaged("a list of chunks of another kind") }
    return (parts, cursor)
  }

  // MARK: Blocks

  /// The bytes of a block that holds `byteCount`.
  func blockBytes(_ byteCount: Int) -> Int { 6 + reader.head.offsetSize + byteCount + 4 }

  /// What a block of the list holds.
  func block(
    _ signature: StaticString, at address: Int, _ byteCount: Int
  ) throws(LoadError) -> ByteCursor {
    guard byteCount <= reader.head.count else {
      throw .damaged("a list of chunks is too long", at: address)
    }
    var cursor = try reader.block(signature, at: address, blockBytes(byteCount), Self.what)
    guard try cursor.byte() == client, try cursor.address(reader.head) == self.address else {
      throw .damaged("a list of chunks belongs to another", at: address)
    }
    return cursor
  }

  /// The elements of a page.
  func page(at address: Int, _ count: Int) throws(LoadError) -> ByteCursor {
    try reader.cursor(address, count * elementBytes + 4, Self.what).checked()
  }

  /// Whether a page was written, by the bits of all pages.
  func isWritten(_ page: Int, _ bits: ByteCursor) throws(LoadError) -> Bool {
    var bits = bits
    try bits.skip(page / 8)
    return try bits.byte() & (0x80 >> (page % 8)) != 0
  }

  // MARK: Elements

  /// A cursor at one of the elements behind a cursor.
  func element(_ place: Int, of elements: ByteCursor) throws(LoadError) -> ByteCursor {
    var cursor = elements
    try cursor.skip(place * elementBytes)
    return cursor
  }

  /// One of the addresses behind a cursor; `nil` when undefined.
  func pointer(_ place: Int, of pointers: ByteCursor) throws(LoadError) -> Int? {
    var cursor = pointers
    try cursor.skip(place * reader.head.offsetSize)
    return try cursor.address(reader.head)
  }

  /// Reads an element and notes its chunk, if there is one.
  fileprivate func readElement(
    _ cursor: inout ByteCursor, number: Int, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    let address = try cursor.address(reader.head)
    let stored = isFiltered ? try cursor.integer(sizeBytes) : list.layout.byteCount
    let mask = isFiltered ? try cursor.integer(4) : 0
    guard let address else { return }
    try list.add(address: address, stored: stored, mask: mask, number: number)
  }
}
