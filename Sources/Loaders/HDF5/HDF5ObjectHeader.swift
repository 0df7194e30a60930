/// One message of an object header.
struct HDF5Message {
  /// The kinds of message that Forge reads or must refuse.
  enum Kind: Int, Sendable {
    case dataspace = 0x1
    case linkInfo = 0x2
    case datatype = 0x3
    case oldFillValue = 0x4
    case fillValue = 0x5
    case link = 0x6
    case externalFiles = 0x7
    case layout = 0x8
    case filters = 0xb
    case attribute = 0xc
    case continuation = 0x10
    case symbolTable = 0x11
    case attributeInfo = 0x15
  }

  let kind: Kind
  /// Whether the data refer to a message in another place.
  let isShared: Bool
  let data: ByteCursor

  /// A cursor over the data.
  func cursor(_ what: String) throws(LoadError) -> ByteCursor {
    guard !isShared else { throw .unsupportedHDF5("\(what) kept in another place") }
    return data.named(what)
  }
}

/// All messages of one object.
struct HDF5ObjectHeader {
  /// The messages of known kinds, in the order of the file.
  let messages: [HDF5Message]

  /// Reads the header at an address, with its continuations.
  init(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
    var start = try reader.cursor(address, 4, "an object header")
    let isNew = try start.raw(4).elementsEqual("OHDR".utf8)
    var messages = HDF5MessageReader(isNew: isNew)
    try messages.read(at: address, reader)
    self.messages = messages.messages
  }

  func first(_ kind: HDF5Message.Kind) -> HDF5Message? { messages.first { $0.kind == kind } }

  func all(_ kind: HDF5Message.Kind) -> [HDF5Message] { messages.filter { $0.kind == kind } }
}

/// Collects the messages of an object from its first block and all continuations.
private struct HDF5MessageReader {
  private(set) var messages: [HDF5Message] = []
  private let isNew: Bool
  private var hasCreationOrder = false
  private var blocks: [ByteCursor] = []
  private var seen: Set<Int> = []
  // Includes gaps and unknown kinds, because they also cost time.
  private var count = 0

  init(isNew: Bool) {
    self.isNew = isNew
  }

  mutating func read(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
    blocks = [try isNew ? newHead(address, reader) : oldHead(address, reader)]
    while let block = blocks.popLast() { try read(block, reader) }
  }

  /// The first block of a header of version 1.
  private func oldHead(
    _ address: Int, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    var cursor = try reader.cursor(address, 16, "an object header")
    try cursor.expectVersion(1)
    try cursor.skip(7)
    let length = try cursor.integer(4)
    return try reader.cursor(address + 16, length, "an object header")
  }

  /// The first block of a header of version 2, whose blocks carry checksums.
  private mutating func newHead(
    _ address: Int, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    var cursor = try reader.cursor(address, upTo: 64, "an object header")
    try cursor.expect("OHDR")
    try cursor.expectVersion(2)
    let flags = try cursor.byte()
    hasCreationOrder = flags & 0x04 != 0
    if flags & 0x20 != 0 { try cursor.skip(16) }
    if flags & 0x10 != 0 { try cursor.skip(4) }
    let length = try cursor.integer(1 << (flags & 3))
    return try checked(
      address, prefix: cursor.offset - address, length: length, "an object header", reader)
  }

  /// The `length` bytes between a prefix and a checksum, which is verified.
  private func checked(
    _ address: Int, prefix: Int, length: Int, _ what: String, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    guard length <= reader.head.count else {
      throw .damaged("an object header is too long", at: address)
    }
    var cursor = try reader.cursor(address, prefix + length + 4, what).checked()
    try cursor.skip(prefix)
    return try cursor.part(length, what)
  }

  private mutating func read(_ block: ByteCursor, _ reader: HDF5Reader) throws(LoadError) {
    guard seen.insert(block.offset).inserted else {
      throw .damaged("an object header continues in itself", at: block.offset)
    }
    var cursor = block
    let prefix = isNew ? (hasCreationOrder ? 6 : 4) : 8
    // A block may end with a gap too small for a message.
    while cursor.left >= prefix {
      let kind = try cursor.integer(isNew ? 1 : 2)
      let length = try cursor.integer(2)
      let flags = try cursor.byte()
      try cursor.skip(prefix - (isNew ? 4 : 5))
      let data = try cursor.part(length, "a message")
      count += 1
      guard count <= HDF5Limits.maximumMessages else {
        throw .refusedHDF5("an object with more than \(HDF5Limits.maximumMessages) messages")
      }
      guard let known = HDF5Message.Kind(rawValue: kind) else {
        guard kind <= 0x18 || flags & 0x80 == 0 else {
          throw .unsupportedHDF5("an object with a message of the unknown kind \(kind)")
        }
        continue
      }
      let message = HDF5Message(kind: known, isShared: flags & 0x02 != 0, data: data)
      if known == .continuation {
        blocks.append(try continuation(message, reader))
      } else {
        messages.append(message)
      }
    }
  }

  private func continuation(
    _ message: HDF5Message, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    var cursor = try message.cursor("the continuation of an object header")
    let place = cursor.offset
    let address = try cursor.definedAddress(reader.head)
    let length = try cursor.length(reader.head)
    guard address > 0, length >= 8 else {
      throw .damaged("an object header continues nowhere", at: place)
    }
    let what = "the continuation of an object header"
    guard isNew else { return try reader.cursor(address, length, what) }
    var start = try reader.cursor(address, 4, what)
    try start.expect("OCHK")
    return try checked(address, prefix: 4, length: length - 8, what, reader)
  }
}
