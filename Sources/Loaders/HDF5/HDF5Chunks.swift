import ForgeShapes

/// One stored chunk.
struct HDF5Chunk: Sendable {
  let address: Int
  /// The stored size in bytes.
  let stored: Int
  /// The bit mask of skipped filters.
  let mask: Int
  /// Its index among the chunks of the dataset in row-major order.
  let number: Int
}

/// A chunked dataset: blocks of equal sizes, each stored separately.
struct HDF5Chunks: Sendable {
  /// The kind of chunk index, with its number in layout version 4.
  enum Index: Int, Sendable {
    /// A version 1 B-tree, used by layout version 3.
    case tree = 0
    /// No index, for a dataset in a single chunk.
    case single
    /// A contiguous array of chunks.
    case implicit
    /// A list, for datasets that cannot grow.
    case fixedArray
    /// A list in parts, for datasets with one unlimited axis.
    case extensibleArray
    /// A version 2 B-tree, for datasets with several unlimited axes.
    case newTree
  }

  /// The sizes of the dataset, outermost first.
  let sizes: [Int]
  /// The maximum sizes; `nil` for an unlimited axis.
  let maximum: [Int?]
  /// The sizes of a chunk.
  let chunk: [Int]
  /// The number of chunks along each axis.
  let counts: [Int]
  /// The size of an unfiltered chunk in bytes.
  let byteCount: Int
  /// The size of one value in bytes.
  let elementByteCount: Int
  /// The filters, in the order they were applied.
  let filters: [HDF5Filter]
  let index: Index
  /// The address of the index or of the chunks; `nil` if none was written.
  let address: Int?
  /// The stored size and the filter mask of a single chunk.
  let single: (stored: Int, mask: Int)

  /// Reads a layout message of version 3 or 4 after its version and class.
  init(
    _ cursor: inout ByteCursor, version: Int, _ head: HDF5Superblock, _ space: HDF5Dataspace,
    elementByteCount: Int, filters: [HDF5Filter]
  ) throws(LoadError) {
    let flags = version == 4 ? try cursor.byte() : 0
    let start = cursor.offset
    let axes = try cursor.byte()
    guard axes == space.sizes.count + 1, axes > 1 else {
      throw .damaged("chunks of \(axes - 1) axes for a dataset of \(space.sizes.count)", at: start)
    }
    // Version 3 has the address before the sizes, version 4 at the end.
    let tree = version == 3 ? try cursor.address(head) : nil
    let sizeBytes = version == 3 ? 4 : try cursor.byte()
    guard (1...8).contains(sizeBytes) else {
      throw .damaged("chunks of impossible sizes", at: start)
    }
    var chunk: [Int] = []
    for _ in 0..<axes { chunk.append(try cursor.integer(sizeBytes)) }
    guard chunk.removeLast() == elementByteCount, !chunk.contains(0) else {
      throw .damaged("chunks of impossible sizes", at: start)
    }
    sizes = space.sizes
    maximum = space.maximum
    byteCount = try HDF5Dataspace.byteCount(chunk, of: elementByteCount)
    counts = zip(space.sizes, chunk).map { $0 == 0 ? 0 : ($0 - 1) / $1 + 1 }
    self.chunk = chunk
    self.elementByteCount = elementByteCount
    self.filters = filters
    guard version == 4 else {
      index = .tree
      address = tree
      single = (byteCount, 0)
      return
    }
    guard flags & ~0x3 == 0, flags & 0x1 == 0 || filters.isEmpty else {
      throw .unsupportedHDF5("chunks that are filtered only where they are whole")
    }
    let kindStart = cursor
    let kind = try cursor.byte()
    guard let index = Index(rawValue: kind), index != .tree else {
      throw kindStart.damaged("chunks found in the unknown way \(kind)")
    }
    self.index = index
    let isFiltered = index == .single && flags & 0x2 != 0
    single = isFiltered ? (try cursor.length(head), try cursor.integer(4)) : (byteCount, 0)
    // The creation parameters, which the indexes repeat.
    let parameterBytes = [Index.fixedArray: 1, .extensibleArray: 5, .newTree: 6]
    try cursor.skip(parameterBytes[index] ?? 0)
    address = try cursor.address(head)
    if index == .single, address != nil, counts.contains(where: { $0 > 1 }) {
      throw .damaged("a single chunk that is smaller than its dataset", at: start)
    }
  }

  /// Reads the index of all chunks that were written.
  func chunks(_ reader: HDF5Reader) throws(LoadError) -> [HDF5Chunk] {
    guard let address, !sizes.contains(0) else { return [] }
    var list = HDF5ChunkList(layout: self, reader: reader)
    switch index {
    case .tree: try HDF5ChunkTree.read(address, into: &list)
    case .single:
      try list.add(address: address, stored: single.stored, mask: single.mask, number: 0)
    case .implicit: try list.addImplicit(address)
    case .fixedArray: try HDF5FixedArray.read(address, into: &list)
    case .extensibleArray: try HDF5ExtensibleArray.read(address, into: &list)
    case .newTree: try HDF5NewChunkTree.read(address, into: &list)
    }
    return list.chunks
  }

  /// The number of chunks of the whole dataset.
  var total: Int { counts.reduce(1, *) }

  /// The index of the chunk at a position, counted in chunks; `nil` outside of the dataset.
  func number(of place: some Sequence<Int>) -> Int? {
    guard zip(place, counts).allSatisfy({ $0 < $1 }) else { return nil }
    return zip(place, counts).reduce(0) { $0 * $1.1 + $1.0 }
  }

  /// The position of a chunk, counted in chunks.
  static func place(of number: Int, _ counts: [Int]) -> [Int] {
    var rest = number
    var position = counts
    for axis in counts.indices.reversed() {
      position[axis] = rest % counts[axis]
      rest /= counts[axis]
    }
    return position
  }

  /// Calls `body` with the number of each chunk and its index in the chunk list.
  ///
  /// The list has an element for each chunk of the maximum size of the dataset. An unlimited axis
  /// is the outermost, because the list grows at its end.
  func forEachInList(
    _ body: (_ number: Int, _ index: Int) throws(LoadError) -> Void
  ) throws(LoadError) {
    let endless = maximum.firstIndex { $0 == nil }
    // The stride of each axis in the list.
    var steps = counts
    var step = 1
    for axis in counts.indices.reversed() where axis != endless {
      steps[axis] = step
      let most = maximum[axis] ?? sizes[axis]
      step = step.multipliedSaturated(by: max((most - 1) / chunk[axis] + 1, 1))
    }
    guard step < .max else { throw .refusedHDF5("a dataset that may grow beyond all bounds") }
    if let endless { steps[endless] = step }
    for number in 0..<total {
      let index = zip(Self.place(of: number, counts), steps).reduce(0) {
        $0.addingSaturated($1.0.multipliedSaturated(by: $1.1))
      }
      guard index < .max else { throw .damaged("a chunk lies outside the file") }
      try body(number, index)
    }
  }
}

/// A list of checked chunks.
struct HDF5ChunkList {
  let layout: HDF5Chunks
  let reader: HDF5Reader
  private(set) var chunks: [HDF5Chunk] = []
  private(set) var storedBytes = 0

  mutating func add(address: Int, stored: Int, mask: Int, number: Int) throws(LoadError) {
    try reader.budget.take(bytes: MemoryLayout<HDF5Chunk>.stride)
    try reader.head.check(address, stored, "a chunk")
    try layout.filters.check(stored: stored, byteCount: layout.byteCount, mask: mask, at: address)
    // Otherwise a small file with overlapping chunks could claim huge values.
    storedBytes += stored
    guard storedBytes <= reader.head.count else {
      throw .damaged("more bytes in chunks than in the file")
    }
    chunks.append(HDF5Chunk(address: address, stored: stored, mask: mask, number: number))
  }

  /// Adds the chunks of an implicit index.
  mutating func addImplicit(_ address: Int) throws(LoadError) {
    try layout.forEachInList { number, index throws(LoadError) in
      let chunkAddress = address.addingSaturated(index.multipliedSaturated(by: layout.byteCount))
      try add(address: chunkAddress, stored: layout.byteCount, mask: 0, number: number)
    }
  }
}
