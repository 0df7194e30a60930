#if HDF5
  /// A dataset kept in chunks: blocks of equal sizes, each stored on its own.
  struct HDF5Chunks: Sendable {
    /// One stored chunk.
    private struct Chunk {
      let address: Int
      let stored: Int
      let mask: Int
    }

    private let head: HDF5Superblock
    private let tree: Int?
    private let sizes: [Int]
    private let chunk: [Int]
    private let chunkByteCount: Int
    private let elementByteCount: Int
    private let filters: HDF5Filters

    /// Reads the rest of a layout message of chunks.
    init(
      _ cursor: inout HDF5Cursor, _ head: HDF5Superblock, sizes: [Int], elementByteCount: Int,
      filters: HDF5Filters
    ) throws(HDF5Fault) {
      let start = cursor.offset
      let axes = try cursor.byte()
      guard axes == sizes.count + 1, axes > 1 else {
        throw .damaged("chunks of \(axes - 1) axes for a dataset of \(sizes.count)", at: start)
      }
      tree = try cursor.address(head)
      var chunk: [Int] = []
      for _ in 0..<axes { chunk.append(try cursor.integer(4)) }
      guard chunk.removeLast() == elementByteCount, !chunk.contains(0) else {
        throw .damaged("chunks of impossible sizes", at: start)
      }
      chunkByteCount = try HDF5Dataspace.byteCount(chunk, of: elementByteCount)
      self.head = head
      self.sizes = sizes
      self.chunk = chunk
      self.elementByteCount = elementByteCount
      self.filters = filters
    }

    /// Throws unless every chunk is there, once, in its place and of its size.
    ///
    /// What is not looked at here libhdf5 takes on trust. No more memory is asked for than the
    /// chunks' stored bytes can give.
    func check() throws {
      let chunks = try index()
      guard chunks.contains(where: { filters.deflates($0.mask) }) else { return }
      let scratch = try RawMemory(byteCount: chunkByteCount + 4, for: head.bytes.mapping.path)
      for chunk in chunks {
        try filters.checkDeflated(
          try head.bytes.bytes(chunk.address, chunk.stored, "a chunk"), byteCount: chunkByteCount,
          scratch: scratch.bytes, mask: chunk.mask, at: chunk.address)
      }
    }

    /// Every chunk of the dataset, each once.
    private func index() throws(HDF5Fault) -> [Chunk] {
      guard !sizes.contains(0) else { return [] }
      // Each chunk has a value at least: the product is bounded as the dataset's is.
      let needed = zip(sizes, chunk).reduce(1) { $0 * (($1.0 - 1) / $1.1 + 1) }
      guard let tree else { throw .unsupported("a dataset whose values were never written") }
      var chunks: [Chunk] = []
      var nodes: Set<Int> = []
      try read(tree, level: nil, between: ([], nil), into: &chunks, &nodes)
      guard chunks.count == needed else {
        throw .unsupported(
          "a dataset of which only \(chunks.count) of \(needed) chunks were written")
      }
      // Chunks that share their bytes would make much of little.
      var stored = 0
      for chunk in chunks {
        stored += chunk.stored
        guard stored <= head.bytes.count else {
          throw .damaged("more bytes in chunks than in the file")
        }
      }
      return chunks
    }

    /// Reads a node whose chunks must lie between two places, where libhdf5 will look for them.
    private func read(
      _ address: Int, level: Int?, between bounds: (low: [Int], high: [Int]?),
      into chunks: inout [Chunk], _ nodes: inout Set<Int>
    ) throws(HDF5Fault) {
      var (cursor, found, entries) = try HDF5Tree.node(
        address, kind: 1, parent: level, seen: &nodes, head)
      var key = try readKey(&cursor)
      for _ in 0..<entries {
        let child = try cursor.definedAddress(head)
        let next = try readKey(&cursor)
        let low = bounds.low.lexicographicallyPrecedes(key.place) ? key.place : bounds.low
        let high = bounds.high.map { $0.lexicographicallyPrecedes(next.place) ? $0 : next.place }
        if found > 0 {
          try read(
            child, level: found, between: (low, high ?? next.place), into: &chunks, &nodes)
        } else {
          // At or after the lower place and before the upper, and so none twice.
          guard low == key.place, key.place.lexicographicallyPrecedes(high ?? next.place),
            key.place.last == 0, fits(key.start)
          else { throw .damaged("a chunk is out of place", at: address) }
          try head.bytes.check(child, key.stored, "a chunk")
          try filters.check(
            stored: key.stored, byteCount: chunkByteCount, mask: key.mask, at: child)
          chunks.append(Chunk(address: child, stored: key.stored, mask: key.mask))
        }
        key = next
      }
    }

    /// A key of a node: the chunk's stored bytes, what it leaves out, where it starts in values,
    /// and its place in chunks.
    private func readKey(
      _ cursor: inout HDF5Cursor
    ) throws(HDF5Fault) -> (stored: Int, mask: Int, start: [Int], place: [Int]) {
      let stored = try cursor.integer(4)
      let mask = try cursor.integer(4)
      var start: [Int] = []
      for _ in 0...chunk.count { start.append(try cursor.integer(8)) }
      // libhdf5 compares places, not starts.
      let place = zip(start, chunk + [elementByteCount]).map { $0 / $1 }
      return (stored, mask, start, place)
    }

    /// Whether a chunk may start here.
    private func fits(_ start: [Int]) -> Bool {
      for (axis, place) in start.prefix(sizes.count).enumerated()
      where place >= sizes[axis] || !place.isMultiple(of: chunk[axis]) {
        return false
      }
      return true
    }
  }
#endif
