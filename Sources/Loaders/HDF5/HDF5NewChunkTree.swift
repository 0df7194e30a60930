import ForgeShapes

/// The chunk index of a dataset with several unlimited axes: a version 2 B-tree.
struct HDF5NewChunkTree {
  private static let what = "a tree of chunks"
  /// The overhead of a node in bytes, besides its records and pointers.
  private static let frameBytes = 10

  private let element: HDF5ChunkElement
  /// The maximum number of records of a node of each level, and the size of its child pointers.
  private let levels: [(records: Int, pointerBytes: Int)]
  private var nodes: Set<Int> = []
  private var last: [Int]?

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
    let element = try HDF5ChunkElement(
      kind: kind, plain: 10, byteCount: recordBytes, others: 8 * list.layout.chunk.count, list,
      what, at: address)
    var tree = HDF5NewChunkTree(
      element: element,
      levels: try levels(
        depth: depth, nodeBytes: nodeBytes, recordBytes: recordBytes, head, at: address))
    try tree.read(root, level: depth, records: records, into: &list)
  }

  /// The sizes of nodes of each level, from the leaves up.
  private static func levels(
    depth: Int, nodeBytes: Int, recordBytes: Int, _ head: HDF5Superblock, at address: Int
  ) throws(LoadError) -> [(records: Int, pointerBytes: Int)] {
    var levels: [(records: Int, pointerBytes: Int)] = []
    // The maximum number of records in a subtree.
    var total = 0
    for level in 0...depth {
      var pointerBytes = 0
      if let leaf = levels.first {
        // The address of a node, its number of records, and that of its subtree.
        let totalBytes = level > 1 ? bytes(for: total) : 0
        pointerBytes = head.offsetSize + bytes(for: leaf.records) + totalBytes
      }
      let records = (nodeBytes - frameBytes - pointerBytes) / (recordBytes + pointerBytes)
      total = (records + 1).multipliedSaturated(by: total).addingSaturated(records)
      guard depth < 16, records > 0, total < .max else {
        throw .damaged("a tree of chunks of impossible sizes", at: address)
      }
      levels.append((records, pointerBytes))
    }
    return levels
  }

  /// The width in bytes of a number up to `limit`.
  private static func bytes(for limit: Int) -> Int {
    (Int.bitWidth - 1 - limit.leadingZeroBitCount) / 8 + 1
  }

  private mutating func read(
    _ address: Int, level: Int, records: Int, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    guard nodes.insert(address).inserted else {
      throw .damaged("a tree leads back to itself", at: address)
    }
    // Only the root of an empty tree may have no records.
    guard records <= levels[level].records, records > 0 || nodes.count == 1 else {
      throw .damaged("a node of chunks has \(records) entries", at: address)
    }
    let pointerBytes = levels[level].pointerBytes
    let length = Self.frameBytes + records * element.byteCount + (records + 1) * pointerBytes
    var cursor = try list.reader.block(level > 0 ? "BTIN" : "BTLF", at: address, length, Self.what)
    guard try cursor.byte() == element.kind else {
      throw .damaged("a node of another kind of tree", at: address)
    }
    var content = try cursor.part(records * element.byteCount, Self.what)
    for index in 0...records {
      if level > 0 {
        var pointer = try cursor.part(pointerBytes, Self.what)
        let child = try pointer.definedAddress(list.reader.head)
        let count = try pointer.integer(Self.bytes(for: levels[0].records))
        try read(child, level: level - 1, records: count, into: &list)
      }
      if index < records { try readRecord(&content, into: &list) }
    }
  }

  private mutating func readRecord(
    _ cursor: inout ByteCursor, into list: inout HDF5ChunkList
  ) throws(LoadError) {
    let start = cursor
    let (address, stored, mask) = try element.read(&cursor, list)
    guard let address else { throw start.damaged("an address is missing") }
    var place: [Int] = []
    for _ in list.layout.chunk { place.append(try cursor.integer(8)) }
    // Chunks must be in ascending order, so that none occurs twice.
    guard last?.lexicographicallyPrecedes(place) ?? true, let number = list.layout.number(of: place)
    else { throw start.damaged("a chunk is out of place") }
    last = place
    try list.add(address: address, stored: stored, mask: mask, number: number)
  }
}
