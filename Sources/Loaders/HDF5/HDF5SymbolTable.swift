/// The local heap of an old-style group, which holds its names.
struct HDF5LocalHeap {
  private static let what = "the names of a group"
  let reader: HDF5Reader
  private let address: Int
  private let length: Int

  init(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
    self.reader = reader
    let head = reader.head
    var cursor = try reader.cursor(address, 8 + 2 * head.lengthSize + head.offsetSize, Self.what)
    try cursor.expect("HEAP", version: 0)
    try cursor.skip(3)
    length = try cursor.length(head)
    // Skips the free list.
    _ = try cursor.length(head)
    self.address = try cursor.definedAddress(head)
    try head.check(self.address, length, Self.what)
  }

  func name(_ offset: Int) throws(LoadError) -> EntryName {
    guard offset < length else { throw .damaged("a name lies outside its group", at: address) }
    let available = length - offset
    // Most names are short, so a small piece is read first.
    var count = min(available, 64)
    while true {
      var cursor = try reader.cursor(address + offset, count, "a name in a group")
      let bytes = try cursor.raw(count)
      if let end = bytes.firstIndex(of: 0) { return try reader.name(bytes[..<end]) }
      guard count < available else {
        throw .damaged("a name in a group has no end", at: address + offset)
      }
      try reader.budget.check(nameBytes: count)
      count = min(available, count * 8)
    }
  }
}

/// The entries of an old-style group: a version 1 B-tree over lists of names.
struct HDF5SymbolTable {
  private(set) var links: [HDF5Link] = []
  private let heap: HDF5LocalHeap
  private var lists: Set<Int> = []

  /// Reads the tree at an address, with its names in a heap.
  init(_ address: Int, _ heap: HDF5LocalHeap) throws(LoadError) {
    self.heap = heap
    let head = heap.reader.head
    var tree = HDF5Tree<EntryName>(
      reader: heap.reader, kind: 0, keyBytes: head.lengthSize, maximumEntries: 2 * head.groupNodeK)
    try tree.read(address, after: "") { cursor throws(LoadError) in
      try heap.name(try cursor.length(head))
    } visit: { leaf throws(LoadError) in
      try readLeaf(leaf.address, after: leaf.low, upTo: leaf.high)
    }
  }

  private mutating func readLeaf(
    _ address: Int, after low: EntryName, upTo high: EntryName
  ) throws(LoadError) {
    guard lists.insert(address).inserted else {
      throw .damaged("a group has a part twice", at: address)
    }
    let reader = heap.reader
    let head = reader.head
    var start = try reader.cursor(address, 8, "a group's list of names")
    try start.expect("SNOD", version: 1)
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
      let object = try cursor.address(head)
      let kind = try cursor.integer(4)
      try cursor.skip(4)
      let value = try cursor.integer(4)
      try cursor.skip(12)
      if kind == 2 {
        links.append((name, .soft(try heap.name(value))))
      } else if let object {
        links.append((name, .object(object)))
      } else {
        throw .damaged("an entry of a group leads nowhere", at: address)
      }
    }
  }
}
