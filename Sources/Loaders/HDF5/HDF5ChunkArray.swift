/// A list with an element for each chunk that a dataset may have.
protocol HDF5ChunkArray {
  /// What the list is made of.
  var parts: HDF5ChunkParts { get }

  /// Reads the head of the list at an address; `nil` when nothing was written.
  init?(at address: Int, _ list: HDF5ChunkList) throws(LoadError)

  /// A cursor at the element of an index; `nil` when it was never written.
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

/// How an index stores the place of a chunk.
struct HDF5ChunkElement {
  /// The kind of the index, which each of its blocks repeats: odd for filtered chunks.
  let kind: Int
  let byteCount: Int
  /// The bytes of a stored size; `nil` where all chunks have the same.
  private let sizeBytes: Int?

  /// The elements of an index of `byteCount` bytes each, `others` of them for something else.
  ///
  /// Elements of filtered chunks also state a size and a mask. The kind of the index must be one
  /// more for them than `plain`, that of others.
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

  /// Reads the place of a chunk; without an address there is none.
  func read(
    _ cursor: inout ByteCursor, _ list: HDF5ChunkList
  ) throws(LoadError) -> (address: Int?, stored: Int, mask: Int) {
    let address = try cursor.address(list.reader.head)
    guard let sizeBytes else { return (address, list.layout.byteCount, 0) }
    return (address, try cursor.integer(sizeBytes), try cursor.integer(4))
  }
}

/// The parts of a list of chunks: a head, and blocks of elements that name it.
struct HDF5ChunkParts {
  static let what = "a list of chunks"

  let element: HDF5ChunkElement
  private let reader: HDF5Reader
  private let address: Int

  /// Reads the start of the head of a list, which `cursor` is.
  init(_ cursor: inout ByteCursor, at address: Int, _ list: HDF5ChunkList) throws(LoadError) {
    element = try HDF5ChunkElement(
      kind: try cursor.byte(), plain: 0, byteCount: try cursor.byte(), list, Self.what)
    reader = list.reader
    self.address = address
  }

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
    guard try cursor.byte() == element.kind, try cursor.address(reader.head) == self.address else {
      throw .damaged("a list of chunks belongs to another", at: address)
    }
    return cursor
  }

  /// The elements of a page.
  func page(at address: Int, _ count: Int) throws(LoadError) -> ByteCursor {
    try reader.cursor(address, count * element.byteCount + 4, Self.what).checked()
  }

  /// Whether a page was written, by the bits of all pages.
  func isWritten(_ page: Int, _ bits: ByteCursor) throws(LoadError) -> Bool {
    var bits = bits
    try bits.skip(page / 8)
    return try bits.byte() & (0x80 >> (page % 8)) != 0
  }

  /// A cursor at one of the elements behind a cursor.
  func element(_ place: Int, of elements: ByteCursor) throws(LoadError) -> ByteCursor {
    var cursor = elements
    try cursor.skip(place * element.byteCount)
    return cursor
  }

  /// One of the addresses behind a cursor; `nil` when undefined.
  func pointer(_ place: Int, of pointers: ByteCursor) throws(LoadError) -> Int? {
    var cursor = pointers
    try cursor.skip(place * reader.head.offsetSize)
    return try cursor.address(reader.head)
  }
}
