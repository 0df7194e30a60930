/// The chunks of a dataset in a version 1 B-tree.
enum HDF5ChunkTree {
  /// A key of a node: the chunk's stored size, filter mask and start.
  private struct Key: Comparable {
    var stored = 0
    var mask = 0
    /// Whether the start is a multiple of the chunk's sizes.
    var isWhole = true
    /// The start in units of chunks, by which libhdf5 compares keys.
    var place: [Int] = []

    static func == (first: Key, second: Key) -> Bool { first.place == second.place }

    static func < (first: Key, second: Key) -> Bool {
      first.place.lexicographicallyPrecedes(second.place)
    }
  }

  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(LoadError) {
    let layout = list.layout
    var tree = HDF5Tree<Key>(
      reader: list.reader, kind: 1, keyBytes: 8 + 8 * (layout.chunk.count + 1))
    try tree.read(address, after: Key()) { cursor throws(LoadError) in
      try key(&cursor, layout)
    } visit: { leaf throws(LoadError) in
      // The key must be within the bounds of its node, so that no chunk occurs twice.
      let key = leaf.key
      guard leaf.low == key, key < leaf.high, key.place.last == 0, key.isWhole,
        let number = layout.number(of: key.place.dropLast())
      else { throw .damaged("a chunk is out of place", at: leaf.node) }
      try list.add(address: leaf.address, stored: key.stored, mask: key.mask, number: number)
    }
  }

  private static func key(
    _ cursor: inout ByteCursor, _ layout: HDF5Chunks
  ) throws(LoadError) -> Key {
    var key = Key(stored: try cursor.integer(4), mask: try cursor.integer(4))
    for size in layout.chunk {
      let start = try cursor.integer(8)
      key.place.append(start / size)
      key.isWhole = key.isWhole && start.isMultiple(of: size)
    }
    key.place.append(try cursor.integer(8) / layout.elementByteCount)
    return key
  }
}
