#if HDF5
  /// One message of an object header: what kind it is and where its data lie.
  struct HDF5Message: Sendable {
    /// The kinds of message that Forge reads or must refuse.
    enum Kind: Int, Sendable {
      case dataspace = 0x1
      case linkInfo = 0x2
      case datatype = 0x3
      case link = 0x6
      case externalFiles = 0x7
      case layout = 0x8
      case filters = 0xb
      case attribute = 0xc
      case continuation = 0x10
      case symbolTable = 0x11
      case attributeInfo = 0x15
    }

    /// The kind; `nil` for those that say nothing about values, as times and comments.
    let kind: Kind?
    /// Whether the data are a reference to a message kept elsewhere.
    let isShared: Bool
    /// The address of the data.
    let address: Int
    /// The number of bytes of data.
    let length: Int

    /// A cursor over the data.
    func cursor(_ head: HDF5Superblock, _ what: String) throws(HDF5Fault) -> HDF5Cursor {
      guard !isShared else { throw .unsupported("\(what) kept in another place") }
      return try head.bytes.cursor(address, length, what)
    }
  }

  /// All messages of one object.
  struct HDF5ObjectHeader: Sendable {
    /// The messages, in the order of the file.
    let messages: [HDF5Message]

    /// Reads the header at an address, with its continuations.
    init(at address: Int, _ head: HDF5Superblock) throws(HDF5Fault) {
      let start = try head.bytes.bytes(address, 4, "an object header")
      var reader =
        start.elementsEqual("OHDR".utf8)
        ? try Reader(new: address, head) : try Reader(old: address, head)
      while let block = reader.blocks.popLast() { try reader.read(block, head) }
      messages = reader.messages
    }

    /// The first message of a kind.
    func first(_ kind: HDF5Message.Kind) -> HDF5Message? { messages.first { $0.kind == kind } }

    /// All messages of a kind.
    func all(_ kind: HDF5Message.Kind) -> [HDF5Message] { messages.filter { $0.kind == kind } }
  }

  /// Collects the messages of an object from its first block and all continuations.
  private struct Reader {
    struct Block {
      let address: Int
      let length: Int
    }

    var messages: [HDF5Message] = []
    var blocks: [Block] = []
    private let isNew: Bool
    private var hasCreationOrder = false
    private var seen: Set<Int> = []

    /// The head of a header of version 1.
    init(old address: Int, _ head: HDF5Superblock) throws(HDF5Fault) {
      isNew = false
      var cursor = try head.bytes.cursor(address, 16, "an object header")
      try cursor.expectVersion(1)
      try cursor.skip(7)
      let length = try cursor.integer(4)
      blocks = [Block(address: address + 16, length: length)]
    }

    /// The head of a header of version 2, whose blocks carry checksums.
    init(new address: Int, _ head: HDF5Superblock) throws(HDF5Fault) {
      isNew = true
      var cursor = try head.bytes.cursor(
        address, min(64, head.bytes.count - address), "an object header")
      try cursor.expect("OHDR")
      try cursor.expectVersion(2)
      let flags = try cursor.byte()
      hasCreationOrder = flags & 0x04 != 0
      if flags & 0x20 != 0 { try cursor.skip(16) }
      if flags & 0x10 != 0 { try cursor.skip(4) }
      let length = try cursor.integer(1 << (flags & 3))
      try Self.verify(address, cursor.offset - address, length, head)
      blocks = [Block(address: cursor.offset, length: length)]
    }

    private static func verify(
      _ start: Int, _ prefix: Int, _ length: Int, _ head: HDF5Superblock
    ) throws(HDF5Fault) {
      let (total, overflow) = prefix.addingReportingOverflow(length)
      guard !overflow else { throw .damaged("an object header is too long", at: start) }
      let summed = try head.bytes.bytes(start, total, "an object header")
      var cursor = try head.bytes.cursor(start + total, 4, "the checksum of an object header")
      guard try cursor.unsigned(4) == UInt64(HDF5Checksum.lookup3(summed)) else {
        throw .damaged("the checksum of an object header is wrong", at: start)
      }
    }

    /// Reads the messages of one block.
    mutating func read(_ block: Block, _ head: HDF5Superblock) throws(HDF5Fault) {
      guard seen.insert(block.address).inserted else {
        throw .damaged("an object header continues in itself", at: block.address)
      }
      var cursor = try head.bytes.cursor(block.address, block.length, "an object header")
      let prefix = isNew ? (hasCreationOrder ? 6 : 4) : 8
      // What is left may be a gap that is too small for a message.
      while cursor.left >= prefix {
        let kind = try cursor.integer(isNew ? 1 : 2)
        let length = try cursor.integer(2)
        let flags = try cursor.byte()
        try cursor.skip(prefix - (isNew ? 4 : 5))
        let message = HDF5Message(
          kind: HDF5Message.Kind(rawValue: kind), isShared: flags & 0x02 != 0,
          address: cursor.offset, length: length)
        try cursor.skip(length)
        if message.kind == nil, kind > 0x18, flags & 0x80 != 0 {
          throw .unsupported("an object with a message of the unknown kind \(kind)")
        }
        if message.kind == .continuation {
          try follow(message, head)
        } else if message.kind != nil {
          messages.append(message)
        }
        guard messages.count + blocks.count <= HDF5Budget.maximumMessages else {
          throw .refused("an object with more than \(HDF5Budget.maximumMessages) messages")
        }
      }
    }

    private mutating func follow(
      _ message: HDF5Message, _ head: HDF5Superblock
    ) throws(HDF5Fault) {
      var cursor = try message.cursor(head, "the continuation of an object header")
      let address = try cursor.definedAddress(head)
      let length = try cursor.length(head)
      guard address > 0, length >= 8 else {
        throw .damaged("an object header continues nowhere", at: message.address)
      }
      guard isNew else {
        blocks.append(Block(address: address, length: length))
        return
      }
      var start = try head.bytes.cursor(address, length, "the continuation of an object header")
      try start.expect("OCHK")
      try Self.verify(address, 0, length - 4, head)
      blocks.append(Block(address: address + 4, length: length - 8))
    }
  }
#endif
