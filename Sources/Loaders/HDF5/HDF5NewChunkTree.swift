/// The chunks of a dataset that can grow along several axes, in a tree of the newer form.
struct HDF5NewChunkTree {
  private static let what = "a tree of chunks"
  /// The bytes of a node besides its records and pointers.
  private static let frameBytes = 10

  /// The capacity of nodes of one level.
  private struct Level {
    /// Records of a node.
    let records: Int
    /// Records of a node and all below it.
    let total: Int
    /// The bytes of the number `total`.
    let totalBytes: Int
  }

  private let head: HDF5Superblock
  private let kind: Int
  private let recordBytes: Int
  private let element: HDF5ChunkElement
  private let levels: [Level]
  private var nodes: Set<Int> = []
  private var last: [Int]?

  /// Reads all chunks of the tree at an address.
  static func read(_ address: Int, into list: inout HDF5ChunkList) throws(LoadError) {
    let head = list.reader.head
    let length = 22 + head.offsetSize + head.lengthSize
    var cursor = try list.reader.block("BTHD", at: address, length, what)
    let kind = try cursor.byte()
    let nodeBytes = try cursor.integer(4)
    let recordBytes = try cursor.integer(2)
    let depth = try cursor.integer(2)
    try cursor.skip(2)
    let root = try cursor.address(head)
    let records = try cursor.integer(2)
    guard let root else { return }
    let axes = list.layout.chunk.count
    let element = try HDF5ChunkElement(
      recordBytes, others: 8 * axes, list, kind, kind: 10, what, at: address)
    var tree = HDF5NewChunkTree(
      head: head, kind: kind, recordBytes: recordBytes, element: element,
      levels: try levels(
        depth: depth, nodeBytes: nodeBytes, recordBytes: recordBytes, head, at: address))
    try tree.read(root, level: depth, records: records, into: &list)
  }

  private init(
    head: HDF5Superblock, kind: Int, recordBytes: Int, element: HDF5ChunkElement, levels: [Level]
  ) {
    self.head = head
    self.kind = kind
    self.recordBytes = recordBytes
    self.element = element
    self.levels = levels
  }

  /// The capacity of each level, from the leaves up.
  private static func levels(
    depth: Int, nodeBytes: Int, recordBytes: Int, _ head: HDF5Superblock, at address: Int
  ) throws(LoadError) -> [Level] {
    let leaf = (nodeBytes - frameBytes) / recordBytes
    guard depth < 16, leaf > 0 else {
      throw .damaged("a tree of chunks of impossible sizes", at: address)
    }
    var levels = [Level(records: leaf, total: leaf, totalBytes: 0)]
    let countBytes = bytes(for: leaf)
    for _ in 0..<depth {
      let below = levels[levels.count - 1]
      let pointer = head.offsetSize + countBytes + below.totalBytes
      let records = (nodeBytes - frameBytes - pointer) / (recordBytes + pointer)
      let (children, overflow) = (records + 1).multipliedReportingOverflow(by: below.total)
      let (total, tooMany) = children.addingReportingOverflow(records)
      guard records > 0, !overflow, !tooMany else {
        throw .damaged("a tree of chunks of impossible sizes", at: address)
      }
      levels.append(Level(records: records, total: total, totalBytes: bytes(for: total)))
    }
    return levels
  }

  /// The bytes of a number up to `limit`.
  private static func bytes(for limit: Int) -> Int {
    (Int.bitWidth - 1 - limit.leadingZeroBitCount) / 8 + 1
  }

  private mutating func read(
    _ address: Int, level: Int, records: Int, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    guard nodes.insert(address).inserted else {
      throw .damaged("a tree leads back to itself", at: address)
    }
    // Nodes without records cost time; only an empty tree has one.
    guard records <= levels[level].records, records > 0 || nodes.count == 1 else {
      throw .damaged("a node of chunks has \(records) entries", at: address)
    }
    let countBytes = Self.bytes(for: levels[0].records)
    let totalBytes = level > 0 ? levels[level - 1].totalBytes : 0
    let pointers = level > 0 ? (records + 1) * (head.offsetSize + countBytes + totalBytes) : 0
    let length = 6 + records * recordBytes + pointers + 4
    var cursor = try list.reader.block(level > 0 ? "BTIN" : "BTLF", at: address, length, Self.what)
    guard try cursor.byte() == kind else {
      throw .damaged("a node of another kind of tree", at: address)
    }
    var content = try cursor.part(records * recordBytes, Self.what)
    var children = try cursor.part(pointers, Self.what)
    for index in 0...records {
      if level > 0 {
        let child = try children.definedAddress(head)
        let count = try children.integer(countBytes)
        try children.skip(totalBytes)
        try read(child, level: level - 1, records: count, into: &list)
      }
      if index < records { try readRecord(&content, into: &list) }
    }
  }

  private mutating func readRecord(
    _ cursor: inout ByteCursor, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    let start = cursor.offset
    let layout = list.layout
    let (address, stored, mask) = try element.read(&cursor, list)
    guard let address else { throw .damaged("an address is missing", at: start) }
    var place: [Int] = []
    for _ in layout.chunk { place.append(try cursor.integer(8)) }
    // Chunks are in order, so that none occurs twice.
    guard last?.lexicographicallyPrecedes(place) ?? true,
      zip(place, layout.counts).allSatisfy({ $0 < $1 })
    else { throw .damaged("a chunk is out of place", at: start) }
    last = place
    try list.add(
      address: address, stored: stored, mask: mask, number: layout.number(of: place))
  }
}
