/// The chunks of a dataset in a tree of the older form.
struct HDF5ChunkTree {
  /// The places between which a node's chunks must lie, where other readers look for them.
  private struct Bounds {
    let low: [Int]
    let high: [Int]?
  }

  /// A key of a node: the chunk's stored bytes, what it leaves out, where it starts in values,
  /// and its place in chunks.
  private struct Key {
    let stored: Int
    let mask: Int
    let start: [Int]
    let place: [Int]
  }

  private var nodes: Set<Int> = []

  /// Reads all chunks below a node.
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(LoadError) {
    var tree = HDF5ChunkTree()
    try tree.read(address, level: nil, Bounds(low: [], high: nil), into: &list)
  }

  private mutating func read(
    _ address: Int, level: Int?, _ bounds: Bounds, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    let layout = list.layout
    var (cursor, found, entries) = try HDF5Tree.node(
      address, kind: 1, parent: level, keyBytes: 8 + 8 * (layout.chunk.count + 1),
      maximumEntries: nil, seen: &nodes, list.reader)
    var key = try Self.key(&cursor, layout)
    for _ in 0..<entries {
      let child = try cursor.definedAddress(list.reader.head)
      let next = try Self.key(&cursor, layout)
      let low = bounds.low.lexicographicallyPrecedes(key.place) ? key.place : bounds.low
      let high = bounds.high.map { $0.lexicographicallyPrecedes(next.place) ? $0 : next.place }
      if found > 0 {
        try read(
          child, level: found, Bounds(low: low, high: high ?? next.place), into: &list)
      } else {
        // At or after the lower place and before the upper, and so none twice.
        guard low == key.place, key.place.lexicographicallyPrecedes(high ?? next.place),
          key.place.last == 0, Self.fits(key.start, layout)
        else { throw .damaged("a chunk is out of place", at: address) }
        try list.add(
          address: child, stored: key.stored, mask: key.mask,
          number: layout.number(of: key.place.dropLast()))
      }
      key = next
    }
  }

  private static func key(
    _ cursor: inout ByteCursor, _ layout: HDF5Chunks
  ) throws(LoadError) -> Key {
    let stored = try cursor.integer(4)
    let mask = try cursor.integer(4)
    var start: [Int] = []
    for _ in 0...layout.chunk.count { start.append(try cursor.integer(8)) }
    // libhdf5 compares places, not starts.
    let place = zip(start, layout.chunk + [layout.elementByteCount]).map { $0 / $1 }
    return Key(stored: stored, mask: mask, start: start, place: place)
  }

  /// Whether a chunk may start here.
  private static func fits(_ start: [Int], _ layout: HDF5Chunks) -> Bool {
    for (axis, place) in start.prefix(layout.sizes.count).enumerated()
    where place >= layout.sizes[axis] || !place.isMultiple(of: layout.chunk[axis]) {
      return false
    }
    return true
  }
}
