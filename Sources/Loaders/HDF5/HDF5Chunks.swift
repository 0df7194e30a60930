import ForgeShapes

/// One stored chunk.
struct HDF5Chunk: Sendable {
  let address: Int
  /// The bytes it is stored in.
  let stored: Int
  /// The filters that were skipped, a bit each.
  let mask: Int
  /// Its index among the chunks of the dataset in row-major order.
  let number: Int
}

/// A dataset in chunks: blocks of equal sizes, each stored separately.
struct HDF5Chunks: Sendable {
  /// The index that finds chunks, by its number in the newer layout.
  enum Index: Int, Sendable {
    /// A tree of the older form, which the older layout has.
    case tree = 0
    /// None, for a dataset in a single chunk.
    case single
    /// A contiguous array of chunks.
    case implicit
    /// A list, for datasets that cannot grow.
    case fixedArray
    /// A list in parts, for datasets that can grow along one axis.
    case extensibleArray
    /// A tree of the newer form, for datasets that can grow along several axes.
    case newTree
  }

  /// The sizes of the dataset, none of them 0.
  let sizes: [Int]
  /// The sizes it may grow to; `nil` for any.
  let maximum: [Int?]
  /// The sizes of a chunk.
  let chunk: [Int]
  /// The number of chunks along each axis.
  let counts: [Int]
  /// The bytes of an unfiltered chunk.
  let byteCount: Int
  /// The bytes of one value.
  let elementByteCount: Int
  /// The filters of chunks, in the order they were applied.
  let filters: [HDF5Filter]
  let index: Index
  /// The address of the index, or of the chunks; `nil` when none was written.
  let address: Int?
  /// The stored bytes and the mask of a single chunk.
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
    // The older layout has the address before the sizes, the newer at its end.
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
    let place = cursor
    let kind = try cursor.byte()
    guard let index = Index(rawValue: kind), index != .tree else {
      throw place.damaged("chunks found in the unknown way \(kind)")
    }
    self.index = index
    let isFiltered = index == .single && flags & 0x2 != 0
    single = isFiltered ? (try cursor.length(head), try cursor.integer(4)) : (byteCount, 0)
    // The parameters of lists and trees, which these repeat.
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

  /// The number of chunks if all are written.
  var total: Int { counts.reduce(1, *) }

  /// The index of the chunk at a position, counted in chunks; `nil` outside of the dataset.
  func number(of place: some Sequence<Int>) -> Int? {
    guard zip(place, counts).allSatisfy({ $0 < $1 }) else { return nil }
    return zip(place, counts).reduce(0) { $0 * $1.1 + $1.0 }
  }

  /// The position of a chunk, counted in chunks.
  static func place(of number: Int, _ counts: [Int]) -> [Int] {
    var rest = number
    var place = counts
    for axis in counts.indices.reversed() {
      place[axis] = rest % counts[axis]
      rest /= counts[axis]
    }
    return place
  }

  /// Calls `body` with the number of each chunk and its index in a list of chunks.
  ///
  /// A list has room for the largest size of the dataset. An unlimited axis comes first, because
  /// the list grows at its end.
  func forEachInList(
    _ body: (_ number: Int, _ index: Int) throws(LoadError) -> Void
  ) throws(LoadError) {
    let endless = maximum.firstIndex { $0 == nil }
    // The distance between neighbours along each axis.
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

/// The chunks of a dataset, each of which is checked.
struct HDF5ChunkList {
  let layout: HDF5Chunks
  let reader: HDF5Reader
  private(set) var chunks: [HDF5Chunk] = []
  private(set) var storedBytes = 0

  mutating func add(address: Int, stored: Int, mask: Int, number: Int) throws(LoadError) {
    try reader.budget.take(bytes: MemoryLayout<HDF5Chunk>.stride)
    try reader.head.check(address, stored, "a chunk")
    try layout.filters.check(stored: stored, byteCount: layout.byteCount, mask: mask, at: address)
    // A small file whose chunks share bytes could have huge values.
    storedBytes += stored
    guard storedBytes <= reader.head.count else {
      throw .damaged("more bytes in chunks than in the file")
    }
    chunks.append(HDF5Chunk(address: address, stored: stored, mask: mask, number: number))
  }

  /// Adds the chunks of a contiguous array.
  mutating func addImplicit(_ address: Int) throws(LoadError) {
    try layout.forEachInList { number, index throws(LoadError) in
      let place = address.addingSaturated(index.multipliedSaturated(by: layout.byteCount))
      try add(address: place, stored: layout.byteCount, mask: 0, number: number)
    }
  }
}
