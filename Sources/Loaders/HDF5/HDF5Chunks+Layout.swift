extension HDF5Chunks {
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
    single =
      isFiltered ? (try cursor.length(head), try cursor.integer(4)) : (byteCount, 0)
    // The parameters of lists and trees, which these repeat.
    let parameterBytes = [Index.fixedArray: 1, .extensibleArray: 5, .newTree: 6]
    try cursor.skip(parameterBytes[index] ?? 0)
    address = try cursor.address(head)
    if index == .single, address != nil, counts.contains(where: { $0 > 1 }) {
      throw .damaged("a single chunk that is smaller than its dataset", at: start)
    }
  }
}
