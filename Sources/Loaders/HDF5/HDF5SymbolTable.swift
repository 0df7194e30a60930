/// The names of an old-style group.
struct HDF5LocalHeap {
  private let reader: HDF5Reader
  private let address: Int
  private let end: Int

  init(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
    self.reader = reader
    let head = reader.head
    var cursor = try reader.cursor(
      address, 8 + 2 * head.lengthSize + head.offsetSize, "the names of a group")
    try cursor.expect("HEAP")
    try cursor.expectVersion(0)
    try cursor.skip(3)
    let length = try cursor.length(head)
    // Where the heap has room is of no use to a reader.
    _ = try cursor.length(head)
    self.address = try cursor.definedAddress(head)
    try reader.check(self.address, length, "the names of a group")
    end = self.address + length
  }

  /// The name at an offset.
  func name(_ offset: Int) throws(LoadError) -> EntryName {
    guard offset >= 0, offset < end - address else {
      throw .damaged("a name lies outside its group", at: address)
    }
    // Most names are short: more is read only of those that are not.
    let whole = end - address - offset
    var length = min(whole, 64)
    while true {
      var cursor = try reader.cursor(address + offset, length, "a name in a group")
      let bytes = try cursor.raw(length)
      if let end = bytes.firstIndex(of: 0) { return try reader.name(bytes[..<end]) }
      guard length < whole else {
        throw .damaged("a name in a group has no end", at: address + offset)
      }
      try reader.check(pathBytes: length)
      length = min(whole, length * 8)
    }
  }
}

/// The entries of an old-style group: a tree of nodes over lists of names.
struct HDF5SymbolTable {
  private(set) var links: [(name: EntryName, link: HDF5Link)] = []
  private let reader: HDF5Reader
  private let heap: HDF5LocalHeap
  private var nodes: Set<Int> = []

  private var head: HDF5Superblock { reader.head }

  init(_ reader: HDF5Reader, _ heap: HDF5LocalHeap) {
    self.reader = reader
    self.heap = heap
  }

  /// Reads the root of the tree and all below it.
  mutating func read(_ address: Int) throws(LoadError) {
    try read(address, level: nil, after: "", upTo: nil)
  }

  /// Reads a node whose names must lie between two others, where other readers look for them.
  private mutating func read(
    _ address: Int, level: Int?, after low: EntryName, upTo high: EntryName?
  ) throws(LoadError) {
    let keyBytes = head.lengthSize
    var (cursor, found, entries) = try HDF5Tree.node(
      address, kind: 0, parent: level, keyBytes: keyBytes, maximumEntries: 2 * head.groupNodeK,
      seen: &nodes, reader)
    var before = try heap.name(try cursor.length(head))
    for _ in 0..<entries {
      let child = try cursor.definedAddress(head)
      let behind = try heap.name(try cursor.length(head))
      let from = max(low, before)
      let to = high.map { min($0, behind) } ?? behind
      if found == 0 {
        try readLeaf(child, after: from, upTo: to)
      } else {
        try read(child, level: found, after: from, upTo: to)
      }
      before = behind
    }
  }

  private mutating func readLeaf(
    _ address: Int, after low: EntryName, upTo high: EntryName
  ) throws(LoadError) {
    guard nodes.insert(address).inserted else {
      throw .damaged("a group has a part twice", at: address)
    }
    var start = try reader.cursor(address, 8, "a group's list of names")
    try start.expect("SNOD")
    try start.expectVersion(1)
    try start.skip(1)
    let count = try start.integer(2)
    guard count <= 2 * head.groupLeafK else {
      throw .damaged("a group's list has \(count) names", at: address)
    }
    let size = 2 * head.offsetSize + 24
    var cursor = try reader.cursor(address + 8, count * size, "a group's list of names")
    var last = low
    for _ in 0..<count {
      try reader.countEntry()
      let name = try heap.name(try cursor.integer(head.offsetSize))
      guard last < name, name <= high else {
        throw .damaged("a name in a group is out of order", at: address)
      }
      last = name
      links.append((name, try readLink(&cursor, list: address)))
    }
  }

  private func readLink(
    _ cursor: inout ByteCursor, list: Int
  ) throws(LoadError) -> HDF5Link {
    let object = try cursor.address(head)
    let kind = try cursor.integer(4)
    try cursor.skip(4)
    let value = try cursor.integer(4)
    try cursor.skip(12)
    if kind == 2 { return .soft(try heap.name(value)) }
    guard let object else { throw .damaged("an entry of a group leads nowhere", at: list) }
    return .object(object)
  }
}

/// Nodes of the older trees, which groups and chunks share.
enum HDF5Tree {
  /// The head of a node: a cursor at its first key, its level and its number of entries.
  ///
  /// - Parameters:
  ///   - address: where the node is.
  ///   - kind: 0 for groups, 1 for chunks.
  ///   - parent: the level of the node above; this must be one less.
  ///   - keyBytes: the bytes of one key.
  ///   - maximumEntries: how many entries a node may have; `nil` for any number.
  ///   - seen: the nodes met before; a tree that leads back to one is damaged.
  ///   - reader: reads the file.
  /// - Returns: the cursor, the level and the number of entries.
  /// - Throws: when the node is damaged.
  static func node(
    _ address: Int, kind: Int, parent: Int?, keyBytes: Int, maximumEntries: Int?,
    seen: inout Set<Int>, _ reader: HDF5Reader
  ) throws(LoadError) -> (cursor: ByteCursor, level: Int, entries: Int) {
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
    // Only the root of an empty tree has none: nodes without entries would cost time for nothing.
    guard entries > 0 || parent == nil, entries <= maximumEntries ?? entries else {
      throw .damaged(
        kind == 0
          ? "a group's node has \(entries) entries" : "a node of chunks has \(entries) entries",
        at: address)
    }
    let length = entries * (keyBytes + reader.head.offsetSize) + keyBytes
    cursor = try reader.cursor(address + prefix, length, "a node of a tree")
    return (cursor, level, entries)
  }
}
