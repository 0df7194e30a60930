extension HDF5Chunks {
  /// Reads a layout message of version 3 or 4 after its version and class.
  init(
    _ cursor: inout ByteCursor, version: Int, _ head: HDF5Superblock, _ space: HDF5Dataspace,
    elementByteCount: Int, filters: HDF5Filters
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
    index =
      version == 3
      ? tree.map(Index.tree) ?? .none
      : try Self.index(&cursor, head, flags: flags, byteCount: byteCount, filters: filters)
    if case .single = index, counts.contains(where: { $0 > 1 }) {
      throw .damaged("a single chunk that is smaller than its dataset", at: start)
    }
  }

  /// Reads the index of chunks from the end of the newer layout.
  private static func index(
    _ cursor: inout ByteCursor, _ head: HDF5Superblock, flags: Int, byteCount: Int,
    filters: HDF5Filters
  ) throws(LoadError) -> Index {
    guard flags & ~0x3 == 0, flags & 0x1 == 0 || filters.filters.isEmpty else {
      throw .unsupportedHDF5("chunks that are filtered only where they are whole")
    }
    let start = cursor.offset
    switch try cursor.byte() {
    case 1:
      var stored = byteCount
      var mask = 0
      if flags & 0x2 != 0 {
        stored = try cursor.length(head)
        mask = try cursor.integer(4)
      }
      return try cursor.address(head).map { .single(address: $0, stored: stored, mask: mask) }
        ?? .none
    case 2: return try cursor.address(head).map(Index.implicit) ?? .none
    case 3:
      try cursor.skip(1)
      return try cursor.address(head).map(Index.fixedArray) ?? .none
    case 4:
      try cursor.skip(5)
      return try cursor.address(head).map(Index.extensibleArray) ?? .none
    case 5:
      try cursor.skip(6)
      return try cursor.address(head).map(Index.newTree) ?? .none
    case let kind: throw .damaged("chunks found in the unknown way \(kind)", at: start)
    }
  }
}
