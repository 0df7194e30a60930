import ForgeShapes

/// The chunk index of a dataset with one unlimited axis: an HDF5 extensible array.
///
/// The index block has the first elements, the addresses of the first data blocks, and those of
/// super blocks, which have the addresses of further data blocks. Large data blocks consist of
/// pages.
struct HDF5ExtensibleArray: HDF5ChunkArray {
  private static let what = HDF5ChunkParts.what

  /// The creation parameters, which determine the sizes of all parts.
  private struct Form {
    let maximumBits: Int
    let indexElements: Int
    let leastElements: Int
    let leastPointers: Int
    let pageBits: Int

    var pageElements: Int { 1 << pageBits }

    /// The number of data blocks of a super block.
    func blocks(_ number: Int) -> Int { 1 << (number / 2) }

    /// The number of elements in each data block of a super block.
    func elements(_ number: Int) -> Int { leastElements << ((number + 1) / 2) }

    /// The number of elements before those of a super block, without those of the index block.
    func start(_ number: Int) -> Int { leastElements * (1 << number - 1) }

    /// The number of super blocks whose data blocks are listed in the index block.
    var directSuperBlocks: Int { 2 * leastPointers.trailingZeroBitCount }

    /// The number of data blocks listed in the index block.
    var directBlocks: Int { 2 * (leastPointers - 1) }

    /// The total number of super blocks.
    var superBlocks: Int { 1 + maximumBits - leastElements.trailingZeroBitCount }
  }

  private typealias SuperBlock = (pageBits: ByteCursor, addresses: ByteCursor)

  let parts: HDF5ChunkParts
  private let head: HDF5Superblock
  private let form: Form
  private let direct: ByteCursor
  private let blocks: ByteCursor
  private let superBlocks: ByteCursor
  // Caches, so that every part is read once.
  private var knownSuperBlocks: [Int: SuperBlock] = [:]
  private var known: [Int: ByteCursor] = [:]

  init?(at address: Int, _ list: HDF5ChunkList) throws(LoadError) {
    head = list.reader.head
    var cursor = try list.reader.block(
      "EAHD", at: address, 16 + 6 * head.lengthSize + head.offsetSize, Self.what)
    parts = try HDF5ChunkParts(&cursor, at: address, list)
    form = try Self.form(&cursor)
    try cursor.skip(6 * head.lengthSize)
    guard let index = try cursor.address(head) else { return nil }
    let elementBytes = form.indexElements * parts.element.byteCount
    let directBytes = form.directBlocks * head.offsetSize
    let superBytes = (form.superBlocks - form.directSuperBlocks) * head.offsetSize
    var block = try parts.block("EAIB", at: index, elementBytes + directBytes + superBytes)
    direct = try block.part(elementBytes, Self.what)
    blocks = try block.part(directBytes, Self.what)
    superBlocks = block
  }

  private static func form(_ cursor: inout ByteCursor) throws(LoadError) -> Form {
    let start = cursor
    let form = Form(
      maximumBits: try cursor.byte(), indexElements: try cursor.byte(),
      leastElements: try cursor.byte(), leastPointers: try cursor.byte(),
      pageBits: try cursor.byte())
    guard form.leastElements.nonzeroBitCount == 1, form.leastPointers.nonzeroBitCount == 1,
      form.leastPointers > 1, form.maximumBits <= 62, form.pageBits < 32,
      form.superBlocks >= form.directSuperBlocks
    else { throw start.damaged("a list of chunks of impossible sizes") }
    return form
  }

  /// The width of an element index in bytes.
  private var offsetBytes: Int { (form.maximumBits + 7) / 8 }

  mutating func cursor(at index: Int) throws(LoadError) -> ByteCursor? {
    guard index >= form.indexElements else { return try parts.element(index, of: direct) }
    let rest = index - form.indexElements
    let ratio = rest / form.leastElements + 1
    let number = Int.bitWidth - 1 - ratio.leadingZeroBitCount
    guard number < form.superBlocks else { throw .damaged("a list of chunks is too short") }
    let elements = form.elements(number)
    let (block, element) = (rest - form.start(number)).quotientAndRemainder(dividingBy: elements)
    guard let superBlock = try superBlock(number),
      let data = try parts.pointer(block, of: superBlock.addresses)
    else { return nil }
    guard elements > form.pageElements else {
      return try parts.element(element, of: try dataBlock(data, elements: elements))
    }
    let page = element / form.pageElements
    let bit = block * (elements / form.pageElements) + page
    guard try parts.isWritten(bit, superBlock.pageBits) else { return nil }
    return try parts.element(element % form.pageElements, of: try dataPage(page, of: data))
  }

  /// The data block addresses and the page bitmap of a super block; `nil` if it was never written.
  private mutating func superBlock(_ number: Int) throws(LoadError) -> SuperBlock? {
    if let known = knownSuperBlocks[number] { return known }
    let count = form.blocks(number)
    let elements = form.elements(number)
    var addresses: ByteCursor
    var bitBytes = 0
    if number < form.directSuperBlocks {
      guard elements <= form.pageElements else {
        throw .unsupportedHDF5("a list of chunks whose first parts have pages")
      }
      // The index block has the addresses, after those of all preceding super blocks.
      addresses = blocks
      try addresses.skip((0..<number).reduce(0) { $0 + form.blocks($1) } * head.offsetSize)
    } else {
      let indirect = number - form.directSuperBlocks
      guard let address = try parts.pointer(indirect, of: superBlocks) else { return nil }
      // Only blocks of several pages have a page bitmap.
      if elements > form.pageElements { bitBytes = (elements / form.pageElements + 7) / 8 * count }
      addresses = try parts.block(
        "EASB", at: address, offsetBytes + bitBytes + count * head.offsetSize)
      try addresses.skip(offsetBytes)
    }
    let block = (pageBits: try addresses.part(bitBytes, Self.what), addresses: addresses)
    knownSuperBlocks[number] = block
    return block
  }

  /// The elements of a data block without pages.
  private mutating func dataBlock(_ address: Int, elements: Int) throws(LoadError) -> ByteCursor {
    if let found = known[address] { return found }
    var block = try parts.block(
      "EADB", at: address, offsetBytes + elements * parts.element.byteCount)
    try block.skip(offsetBytes)
    known[address] = block
    return block
  }

  /// The elements of a page of a data block.
  private mutating func dataPage(_ page: Int, of block: Int) throws(LoadError) -> ByteCursor {
    let before =
      parts.blockBytes(offsetBytes) + page * (form.pageElements * parts.element.byteCount + 4)
    let start = block.addingSaturated(before)
    if let found = known[start] { return found }
    _ = try parts.block("EADB", at: block, offsetBytes)
    let elements = try parts.page(at: start, form.pageElements)
    known[start] = elements
    return elements
  }
}
