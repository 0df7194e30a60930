/// A chunk index with an element for each possible chunk of a dataset.
protocol HDF5ChunkArray {
  /// The parts of the list.
  var parts: HDF5ChunkParts { get }

  /// Reads the header of the list at an address; `nil` if nothing was written.
  init?(at address: Int, _ list: HDF5ChunkList) throws(LoadError)

  /// A cursor at the element with an index; `nil` if it was never written.
  mutating func cursor(at index: Int) throws(LoadError) -> ByteCursor?
}

extension HDF5ChunkArray {
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(LoadError) {
    guard var array = try Self(at: address, list) else { return }
    try list.layout.forEachInList { number, index throws(LoadError) in
      try list.reader.budget.take(bytes: array.parts.element.byteCount)
      guard var cursor = try array.cursor(at: index) else { return }
      let (address, stored, mask) = try array.parts.element.read(&cursor, list)
      guard let address else { return }
      try list.add(address: address, stored: stored, mask: mask, number: number)
    }
  }
}

/// How an index stores the location of a chunk.
struct HDF5ChunkElement {
  /// The kind of the index, repeated in each of its blocks; odd for filtered chunks.
  let kind: Int
  let byteCount: Int
  /// The width of a stored size in bytes; `nil` if all chunks have the same size.
  private let sizeBytes: Int?

  /// Describes elements of `byteCount` bytes, of which `others` are for other data.
  ///
  /// Elements of filtered chunks also have a size and a filter mask; the kind of their index is
  /// `plain + 1`.
  init(
    kind: Int, plain: Int, byteCount: Int, others: Int = 0, _ list: HDF5ChunkList, _ what: String,
    at address: Int? = nil
  ) throws(LoadError) {
    let isFiltered = !list.layout.filters.isEmpty
    let left = byteCount - others - list.reader.head.offsetSize
    guard kind == (isFiltered ? plain + 1 : plain),
      isFiltered ? (1...8).contains(left - 4) : left == 0
    else { throw .damaged("\(what) of another kind", at: address) }
    self.kind = kind
    self.byteCount = byteCount
    sizeBytes = isFiltered ? left - 4 : nil
  }

  /// Reads the location of a chunk; without an address, the chunk was not written.
  func read(
    _ cursor: inout ByteCursor, _ list: HDF5ChunkList
  ) throws(LoadError) -> (address: Int?, stored: Int, mask: Int) {
    let address = try cursor.address(list.reader.head)
    guard let sizeBytes else { return (address, list.layout.byteCount, 0) }
    return (address, try cursor.integer(sizeBytes), try cursor.integer(4))
  }
}

/// The parts of a list of chunks: a header, and blocks of elements that point back to it.
struct HDF5ChunkParts {
  static let what = "a list of chunks"

  let element: HDF5ChunkElement
  private let reader: HDF5Reader
  private let address: Int

  /// Reads the start of a list's header from `cursor`.
  init(_ cursor: inout ByteCursor, at address: Int, _ list: HDF5ChunkList) throws(LoadError) {
    element = try HDF5ChunkElement(
      kind: try cursor.byte(), plain: 0, byteCount: try cursor.byte(), list, Self.what)
    reader = list.reader
    self.address = address
  }

  /// The total size of a block with a payload of `byteCount` bytes.
  func blockBytes(_ byteCount: Int) -> Int { 6 + reader.head.offsetSize + byteCount + 4 }

  /// The payload of a block of the list.
  func block(
    _ signature: StaticString, at address: Int, _ byteCount: Int
  ) throws(LoadError) -> ByteCursor {
    guard byteCount <= reader.head.count else {
      throw .damaged("a list of chunks is too long", at: address)
    }
    var cursor = try reader.block(signature, at: address, blockBytes(byteCount), Self.what)
    guard try cursor.byte() == element.kind, try cursor.address(reader.head) == self.address else {
      throw .damaged("a list of chunks belongs to another", at: address)
    }
    return cursor
  }

  /// The elements of a page.
  func page(at address: Int, _ count: Int) throws(LoadError) -> ByteCursor {
    try reader.cursor(address, count * element.byteCount + 4, Self.what).checked()
  }

  /// Whether a page was written, according to the page bitmap.
  func isWritten(_ page: Int, _ bits: ByteCursor) throws(LoadError) -> Bool {
    var bits = bits
    try bits.skip(page / 8)
    return try bits.byte() & (0x80 >> (page % 8)) != 0
  }

  /// A cursor at one of the elements that follow `elements`.
  func element(_ place: Int, of elements: ByteCursor) throws(LoadError) -> ByteCursor {
    var cursor = elements
    try cursor.skip(place * element.byteCount)
    return cursor
  }

  /// One of the addresses that follow `pointers`; `nil` if undefined.
  func pointer(_ place: Int, of pointers: ByteCursor) throws(LoadError) -> Int? {
    var cursor = pointers
    try cursor.skip(place * reader.head.offsetSize)
    return try cursor.address(reader.head)
  }
}
