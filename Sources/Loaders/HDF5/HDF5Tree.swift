/// A version 1 B-tree of a group or of chunks: nodes with children between keys.
struct HDF5Tree<Key: Comparable> {
  let reader: HDF5Reader
  /// 0 for groups, 1 for chunks.
  let kind: Int
  /// The size of a key in bytes.
  let keyBytes: Int
  /// The maximum number of entries of a node; `nil` if unlimited.
  var maximumEntries: Int?
  /// The addresses of the nodes read so far.
  private(set) var seen: Set<Int> = []

  /// A child of a leaf node: its address, the address of the node, its key, and the bounds of its
  /// keys.
  typealias Leaf = (address: Int, node: Int, key: Key, low: Key, high: Key)

  /// Reads a node and its subtree; the level of a node is one less than its parent's.
  mutating func read(
    _ address: Int, below parent: Int? = nil, after low: Key, upTo high: Key? = nil,
    key: (inout ByteCursor) throws(LoadError) -> Key, visit: (Leaf) throws(LoadError) -> Void
  ) throws(LoadError) {
    guard seen.insert(address).inserted else {
      throw .damaged("a tree leads back to itself", at: address)
    }
    let prefix = 8 + 2 * reader.head.offsetSize
    var cursor = try reader.cursor(address, prefix, "a node of a tree")
    try cursor.expect("TREE")
    guard try cursor.byte() == kind else {
      throw .damaged("a node of another kind of tree", at: address)
    }
    let level = try cursor.byte()
    guard parent.map({ $0 - 1 == level }) ?? (level < 32) else {
      throw .damaged("a node of a tree is on the wrong level", at: address)
    }
    let entries = try cursor.integer(2)
    // Only the root of an empty tree may have no entries.
    guard entries > 0 || parent == nil, entries <= maximumEntries ?? entries else {
      let what = kind == 0 ? "a group's node" : "a node of chunks"
      throw .damaged("\(what) has \(entries) entries", at: address)
    }
    cursor = try reader.cursor(
      address + prefix, entries * (keyBytes + reader.head.offsetSize) + keyBytes,
      "a node of a tree")
    var before = try key(&cursor)
    for _ in 0..<entries {
      let child = try cursor.definedAddress(reader.head)
      let behind = try key(&cursor)
      let from = max(low, before)
      let to = high.map { min($0, behind) } ?? behind
      if level > 0 {
        try read(child, below: level, after: from, upTo: to, key: key, visit: visit)
      } else {
        try visit((child, address, before, from, to))
      }
      before = behind
    }
  }
}
