/// The chunk index of a dataset of fixed maximum size: an HDF5 fixed array.
///
/// The elements are in one block, or in pages that follow it.
struct HDF5FixedArray: HDF5ChunkArray {
  let parts: HDF5ChunkParts
  private let count: Int
  private let pageElements: Int
  /// The elements, or the page bitmap.
  private let content: ByteCursor
  private let pagesAt: Int?
  private var page: (number: Int, elements: ByteCursor?)?

  init?(at address: Int, _ list: HDF5ChunkList) throws(LoadError) {
    let head = list.reader.head
    var cursor = try list.reader.block(
      "FAHD", at: address, 12 + head.lengthSize + head.offsetSize, HDF5ChunkParts.what)
    parts = try HDF5ChunkParts(&cursor, at: address, list)
    let pageBits = try cursor.byte()
    count = try cursor.length(head)
    guard let block = try cursor.address(head) else { return nil }
    guard pageBits < 32, count <= head.count / parts.element.byteCount else {
      throw .damaged("a list of chunks is too long", at: address)
    }
    pageElements = 1 << pageBits
    let pages = count > pageElements ? (count - 1) / pageElements + 1 : 0
    // A list in pages has its page bitmap here; other lists have their elements.
    let byteCount = pages > 0 ? (pages + 7) / 8 : count * parts.element.byteCount
    content = try parts.block("FADB", at: block, byteCount)
    pagesAt = pages > 0 ? block + parts.blockBytes(byteCount) : nil
  }

  mutating func cursor(at index: Int) throws(LoadError) -> ByteCursor? {
    guard index < count else { throw .damaged("a list of chunks is too short") }
    guard let pagesAt else { return try parts.element(index, of: content) }
    let number = index / pageElements
    if page?.number != number {
      let start = pagesAt + number * (pageElements * parts.element.byteCount + 4)
      let elements = min(pageElements, count - number * pageElements)
      let isWritten = try parts.isWritten(number, content)
      page = (number, isWritten ? try parts.page(at: start, elements) : nil)
    }
    guard let elements = page?.elements else { return nil }
    return try parts.element(index % pageElements, of: elements)
  }
}
