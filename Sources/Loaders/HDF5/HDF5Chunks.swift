/// A dataset kept in chunks: blocks of equal sizes, each stored on its own.
struct HDF5Chunks: Sendable {
  /// One stored chunk.
  private struct Chunk {
    let start: [Int]
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

  /// Reads all values into `output`, which has room for exactly them.
  ///
  /// The memory is asked for after the index of chunks is found to be complete, so that a file must
  /// hold what it says it does.
  func read() throws -> RawMemory {
    let chunks = try index()
    let byteCount = try HDF5Dataspace.byteCount(sizes, of: elementByteCount)
    let output = try RawMemory(byteCount: byteCount, for: head.bytes.mapping.path)
    guard !chunks.isEmpty else { return output }
    let values = try RawMemory(byteCount: chunkByteCount, for: head.bytes.mapping.path)
    let scratch = try RawMemory(byteCount: chunkByteCount + 4, for: head.bytes.mapping.path)
    for chunk in chunks {
      try filters.undo(
        try head.bytes.bytes(chunk.address, chunk.stored, "a chunk"), into: values.bytes,
        scratch: scratch.bytes, mask: chunk.mask, at: chunk.address)
      place(values.bytes, at: chunk.start, into: output.bytes)
    }
    return output
  }

  /// Every chunk of the dataset, each once.
  private func index() throws(HDF5Fault) -> [Chunk] {
    guard !sizes.contains(0) else { return [] }
    // Each chunk has a value at least: the product is bounded as the dataset's is.
    let needed = zip(sizes, chunk).reduce(1) { $0 * (($1.0 - 1) / $1.1 + 1) }
    guard let tree else { throw .unsupported("a dataset whose values were never written") }
    var chunks: [Chunk] = []
    var nodes: Set<Int> = []
    try read(tree, level: nil, into: &chunks, &nodes)
    guard chunks.count == needed else {
      throw .unsupported(
        "a dataset of which only \(chunks.count) of \(needed) chunks were written")
    }
    // Chunks that share their bytes would make much of little.
    guard chunks.reduce(0, { $0 + $1.stored }) <= head.bytes.count else {
      throw .damaged("more bytes in chunks than in the file")
    }
    return chunks
  }

  private func read(
    _ address: Int, level: Int?, into chunks: inout [Chunk], _ nodes: inout Set<Int>
  ) throws(HDF5Fault) {
    var (cursor, found, entries) = try HDF5Tree.node(
      address, kind: 1, parent: level, seen: &nodes, head)
    for _ in 0..<entries {
      let stored = try cursor.integer(4)
      let mask = try cursor.integer(4)
      var start: [Int] = []
      for _ in 0...chunk.count { start.append(try cursor.integer(8)) }
      let child = try cursor.definedAddress(head)
      guard found == 0 else {
        try read(child, level: found, into: &chunks, &nodes)
        continue
      }
      guard start.removeLast() == 0, fits(start) else {
        throw .damaged("a chunk is out of place", at: address)
      }
      // In order, and so none twice.
      if let last = chunks.last, !last.start.lexicographicallyPrecedes(start) {
        throw .damaged("a chunk is out of order", at: address)
      }
      try head.bytes.check(child, stored, "a chunk")
      try filters.check(stored: stored, byteCount: chunkByteCount, mask: mask, at: child)
      chunks.append(Chunk(start: start, address: child, stored: stored, mask: mask))
    }
  }

  /// Whether a chunk may start here.
  private func fits(_ start: [Int]) -> Bool {
    for (axis, place) in start.enumerated()
    where place >= sizes[axis] || !place.isMultiple(of: chunk[axis]) {
      return false
    }
    return true
  }

  /// Copies the part of a chunk that lies in the dataset to its place, row by row.
  private func place(
    _ values: UnsafeMutableRawBufferPointer, at start: [Int],
    into output: UnsafeMutableRawBufferPointer
  ) {
    let axes = sizes.count
    let used = (0..<axes).map { min(chunk[$0], sizes[$0] - start[$0]) }
    let run = used[axes - 1] * elementByteCount
    var position = Array(repeating: 0, count: axes)
    while true {
      var from = 0
      var to = 0
      for axis in 0..<axes {
        from = from * chunk[axis] + position[axis]
        to = to * sizes[axis] + start[axis] + position[axis]
      }
      from *= elementByteCount
      to *= elementByteCount
      UnsafeMutableRawBufferPointer(rebasing: output[to..<(to + run)]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: values[from..<(from + run)]))
      var axis = axes - 2
      while axis >= 0 {
        position[axis] += 1
        if position[axis] < used[axis] { break }
        position[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
