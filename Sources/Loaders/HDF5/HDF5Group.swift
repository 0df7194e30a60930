#if HDF5
  /// What a name in a group leads to.
  enum HDF5Link: Sendable {
    /// An object of this file, by the address of its header.
    case object(Int)
    /// Another path of this file.
    case soft(String)
    /// Something that is not followed, with the reason.
    case other(HDF5Fault)
  }

  /// The links of one group.
  enum HDF5Group {
    /// The links of a group in the order of their names; `nil` when the header is another object's.
    static func links(
      _ header: HDF5ObjectHeader, _ head: HDF5Superblock
    ) throws(HDF5Fault) -> [(name: String, link: HDF5Link)]? {
      var links: [(name: String, link: HDF5Link)]
      if let message = header.first(.symbolTable) {
        var cursor = try message.cursor(head, "a group")
        let tree = try cursor.definedAddress(head)
        let heap = try HDF5LocalHeap(at: try cursor.definedAddress(head), head)
        var reader = HDF5SymbolTable(head, heap)
        try reader.read(tree)
        links = reader.links
      } else if header.first(.linkInfo) != nil || header.first(.link) != nil {
        if let info = header.first(.linkInfo) { try checkCompact(info, head) }
        links = []
        for message in header.all(.link) { links.append(try link(message, head)) }
        links.sort { $0.name < $1.name }
      } else {
        return nil
      }
      var names: Set<String> = []
      for (name, _) in links {
        guard !name.isEmpty, name != ".", !name.utf8.contains(UInt8(ascii: "/")) else {
          throw .damaged("a group has an entry without a proper name")
        }
        guard names.insert(name).inserted else {
          throw .damaged("a group has two entries of the name \"\(name)\"")
        }
      }
      return links
    }

    /// Throws when the links are kept in a heap of their own.
    private static func checkCompact(
      _ info: HDF5Message, _ head: HDF5Superblock
    ) throws(HDF5Fault) {
      var cursor = try info.cursor(head, "a group")
      try cursor.expectVersion(0)
      let flags = try cursor.byte()
      if flags & 1 != 0 { try cursor.skip(8) }
      guard try cursor.address(head) == nil else {
        throw .unsupported("the newest form of large groups")
      }
    }

    private static func link(
      _ message: HDF5Message, _ head: HDF5Superblock
    ) throws(HDF5Fault) -> (name: String, link: HDF5Link) {
      var cursor = try message.cursor(head, "a link")
      try cursor.expectVersion(1)
      let flags = try cursor.byte()
      let kind = flags & 0x08 != 0 ? try cursor.byte() : 0
      if flags & 0x04 != 0 { try cursor.skip(8) }
      if flags & 0x10 != 0 { try cursor.skip(1) }
      let length = try cursor.integer(1 << (flags & 3))
      let name = String(decoding: try cursor.raw(length), as: UTF8.self)
      switch kind {
      case 0: return (name, .object(try cursor.definedAddress(head)))
      case 1:
        let target = try cursor.raw(try cursor.integer(2))
        return (name, .soft(String(decoding: target, as: UTF8.self)))
      case 64: return (name, .other(.refused("a link to another file")))
      default: return (name, .other(.refused("a link of a user's own kind")))
      }
    }
  }

  /// The names of an old-style group.
  struct HDF5LocalHeap {
    private let head: HDF5Superblock
    private let address: Int
    private let end: Int

    init(at address: Int, _ head: HDF5Superblock) throws(HDF5Fault) {
      self.head = head
      var cursor = try head.bytes.cursor(
        address, 8 + 2 * head.lengthSize + head.offsetSize, "the names of a group")
      try cursor.expect("HEAP")
      try cursor.expectVersion(0)
      try cursor.skip(3)
      let length = try cursor.length(head)
      let firstFree = try cursor.length(head)
      self.address = try cursor.definedAddress(head)
      try head.bytes.check(self.address, length, "the names of a group")
      end = self.address + length
      try Self.checkFree(firstFree, at: self.address, length: length, head)
    }

    /// Throws when the list of free places leads in a circle, which libhdf5 would follow for ever.
    private static func checkFree(
      _ first: Int, at address: Int, length: Int, _ head: HDF5Superblock
    ) throws(HDF5Fault) {
      var offset = first
      var count = 0
      // 1 stands for the end of the list.
      while offset != 1 {
        guard offset <= length - 2 * head.lengthSize, count <= length / (2 * head.lengthSize) else {
          throw .damaged("the free places of a group's names are wrong", at: address)
        }
        var cursor = try head.bytes.cursor(
          address + offset, 2 * head.lengthSize, "a free place")
        let next = try cursor.length(head)
        guard try cursor.length(head) <= length - offset else {
          throw .damaged("the free places of a group's names are wrong", at: address)
        }
        offset = next
        count += 1
      }
    }

    /// The bytes of the name at an offset.
    func name(_ offset: Int) throws(HDF5Fault) -> UnsafeRawBufferPointer {
      guard offset < end - address else {
        throw .damaged("a name lies outside its group", at: address)
      }
      let rest = try head.bytes.bytes(
        address + offset, end - address - offset, "a name in a group")
      guard let length = rest.firstIndex(of: 0) else {
        throw .damaged("a name in a group has no end", at: address + offset)
      }
      return UnsafeRawBufferPointer(rebasing: rest[..<length])
    }
  }

  /// The entries of an old-style group: a tree of nodes over lists of names.
  struct HDF5SymbolTable {
    private(set) var links: [(name: String, link: HDF5Link)] = []
    private let head: HDF5Superblock
    private let heap: HDF5LocalHeap
    private var nodes: Set<Int> = []

    init(_ head: HDF5Superblock, _ heap: HDF5LocalHeap) {
      self.head = head
      self.heap = heap
    }

    /// Reads the root of the tree and all below it.
    mutating func read(_ address: Int) throws(HDF5Fault) {
      try read(address, level: nil, after: UnsafeRawBufferPointer(start: nil, count: 0), upTo: nil)
    }

    /// Reads a node whose names must lie between two others, where libhdf5 will look for them.
    private mutating func read(
      _ address: Int, level: Int?, after low: UnsafeRawBufferPointer,
      upTo high: UnsafeRawBufferPointer?
    ) throws(HDF5Fault) {
      var (cursor, found, entries) = try HDF5Tree.node(
        address, kind: 0, parent: level, seen: &nodes, head)
      guard entries <= 2 * head.groupNodeK else {
        throw .damaged("a group's node has \(entries) entries", at: address)
      }
      var before = try heap.name(try cursor.length(head))
      for _ in 0..<entries {
        let child = try cursor.definedAddress(head)
        let behind = try heap.name(try cursor.length(head))
        let from = Self.precedes(low, before) ? before : low
        let to = high.map { Self.precedes($0, behind) ? $0 : behind } ?? behind
        if found == 0 {
          try readLeaf(child, after: from, upTo: to)
        } else {
          try read(child, level: found, after: from, upTo: to)
        }
        before = behind
      }
    }

    private mutating func readLeaf(
      _ address: Int, after low: UnsafeRawBufferPointer, upTo high: UnsafeRawBufferPointer
    ) throws(HDF5Fault) {
      guard nodes.insert(address).inserted else {
        throw .damaged("a group has a part twice", at: address)
      }
      var start = try head.bytes.cursor(address, 8, "a group's list of names")
      try start.expect("SNOD")
      try start.expectVersion(1)
      try start.skip(1)
      let count = try start.integer(2)
      guard count <= 2 * head.groupLeafK else {
        throw .damaged("a group's list has \(count) names", at: address)
      }
      let size = 2 * head.offsetSize + 24
      var cursor = try head.bytes.cursor(address + 8, count * size, "a group's list of names")
      var last = low
      for _ in 0..<count {
        let name = try heap.name(try cursor.integer(head.offsetSize))
        guard Self.precedes(last, name), !Self.precedes(high, name) else {
          throw .damaged("a name in a group is out of order", at: address)
        }
        last = name
        try readEntry(String(decoding: name, as: UTF8.self), &cursor, list: address)
      }
    }

    private mutating func readEntry(
      _ name: String, _ cursor: inout HDF5Cursor, list: Int
    ) throws(HDF5Fault) {
      let object = try cursor.address(head)
      let kind = try cursor.integer(4)
      try cursor.skip(4)
      let value = try cursor.integer(4)
      try cursor.skip(12)
      if kind == 2 {
        links.append((name, .soft(String(decoding: try heap.name(value), as: UTF8.self))))
      } else if let object {
        links.append((name, .object(object)))
      } else {
        throw .damaged("an entry of a group leads nowhere", at: list)
      }
      guard links.count <= HDF5Budget.maximumLinks else {
        throw .refused("more than \(HDF5Budget.maximumLinks) entries")
      }
    }

    /// The order of names in a group: that of their bytes.
    private static func precedes(
      _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
      one.lexicographicallyPrecedes(other)
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
    ///   - seen: the nodes met before; a tree that leads back to one is damaged.
    ///   - head: the head of the file.
    /// - Returns: the cursor, the level and the number of entries.
    /// - Throws: when the node is damaged.
    static func node(
      _ address: Int, kind: Int, parent: Int?, seen: inout Set<Int>, _ head: HDF5Superblock
    ) throws(HDF5Fault) -> (cursor: HDF5Cursor, level: Int, entries: Int) {
      guard seen.insert(address).inserted else {
        throw .damaged("a tree leads back to itself", at: address)
      }
      guard seen.count <= HDF5Budget.maximumNodes else {
        throw .refused("a tree of more than \(HDF5Budget.maximumNodes) nodes")
      }
      var cursor = try head.bytes.cursor(address, head.bytes.count - address, "a node of a tree")
      try cursor.expect("TREE")
      guard try cursor.byte() == kind else {
        throw .damaged("a node of another kind of tree", at: address)
      }
      let level = try cursor.byte()
      guard parent.map({ $0 - 1 == level }) ?? (level < 32) else {
        throw .damaged("a node of a tree is on the wrong level", at: address)
      }
      let entries = try cursor.integer(2)
      try cursor.skip(2 * head.offsetSize)
      return (cursor, level, entries)
    }
  }
#endif
