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
  /// Whether the data is a reference to a message elsewhere.
  let isShared: Bool
  let data: ByteCursor

  func cursor(_ what: String) throws(LoadError) -> ByteCursor {
    guard !isShared else { throw .unsupportedHDF5("\(what) kept in another place") }
    return data.named(what)
  }
}

/// All messages of one object.
struct HDF5ObjectHeader {
  private static let what = "an object header"
  private static let continuation = "the continuation of an object header"
  private static let maximumMessages = 1 << 16

  /// The messages of known kinds, in the order of the file.
  private(set) var messages: [HDF5Message] = []

  /// Reads the header at an address, including its continuations.
  init(at address: Int, _ reader: HDF5Reader) throws(LoadError) {
    var start = try reader.cursor(address, 4, Self.what)
    let isNew = try start.raw(4).elementsEqual("OHDR".utf8)
    let (first, prefix) = try isNew ? Self.newHead(address, reader) : Self.oldHead(address, reader)
    var blocks = [first]
    var seen: Set<Int> = []
    // Unknown kinds are also counted, because they also take time.
    var count = 0
    while var block = blocks.popLast() {
      guard seen.insert(block.offset).inserted else {
        throw .damaged("an object header continues in itself", at: block.offset)
      }
      // A block may end with padding too small for a message.
      while block.left >= prefix {
        let kind = try block.integer(isNew ? 1 : 2)
        let length = try block.integer(2)
        let flags = try block.byte()
        try block.skip(prefix - (isNew ? 4 : 5))
        let data = try block.part(length, "a message")
        count += 1
        guard count <= Self.maximumMessages else {
          throw .refusedHDF5("an object with more than \(Self.maximumMessages) messages")
        }
        guard let known = HDF5Message.Kind(rawValue: kind) else {
          guard kind <= 0x18 || flags & 0x80 == 0 else {
            throw .unsupportedHDF5("an object with a message of the unknown kind \(kind)")
          }
          continue
        }
        let message = HDF5Message(kind: known, isShared: flags & 0x02 != 0, data: data)
        if known == .continuation {
          blocks.append(try Self.block(behind: message, isNew: isNew, reader))
        } else {
          messages.append(message)
        }
      }
    }
  }

  func first(_ kind: HDF5Message.Kind) -> HDF5Message? { messages.first { $0.kind == kind } }

  func all(_ kind: HDF5Message.Kind) -> [HDF5Message] { messages.filter { $0.kind == kind } }

  /// Whether the links or attributes of the object are in a heap.
  ///
  /// The message may contain the maximum creation order, of `orderBytes` bytes.
  func usesHeap(
    _ kind: HDF5Message.Kind, _ what: String, orderBytes: Int, _ head: HDF5Superblock
  ) throws(LoadError) -> Bool {
    guard var cursor = try first(kind)?.cursor(what) else { return false }
    try cursor.expectVersion(0)
    if try cursor.byte() & 1 != 0 { try cursor.skip(orderBytes) }
    return try cursor.address(head) != nil
  }

  /// The first block of a version 1 header, and the size of message prefixes.
  private static func oldHead(
    _ address: Int, _ reader: HDF5Reader
  ) throws(LoadError) -> (block: ByteCursor, prefix: Int) {
    var cursor = try reader.cursor(address, 16, what)
    try cursor.expectVersion(1)
    try cursor.skip(7)
    let length = try cursor.integer(4)
    return (try reader.cursor(address + 16, length, what), 8)
  }

  /// The first block of a version 2 header, with its checksum verified, and the size of message
  /// prefixes.
  private static func newHead(
    _ address: Int, _ reader: HDF5Reader
  ) throws(LoadError) -> (block: ByteCursor, prefix: Int) {
    // The signature was already recognized.
    var cursor = try reader.cursor(address, min(64, reader.head.count - address), what)
    try cursor.expect("OHDR", version: 2)
    let flags = try cursor.byte()
    if flags & 0x20 != 0 { try cursor.skip(16) }
    if flags & 0x10 != 0 { try cursor.skip(4) }
    let length = try cursor.integer(1 << (flags & 3))
    let block = try checked(
      address, prefix: cursor.offset - address, length: length, what, reader)
    // Message prefixes may include a creation order.
    return (block, flags & 0x04 != 0 ? 6 : 4)
  }

  /// The block that a continuation message points to.
  private static func block(
    behind message: HDF5Message, isNew: Bool, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    var cursor = try message.cursor(continuation)
    let before = cursor
    let address = try cursor.definedAddress(reader.head)
    let length = try cursor.length(reader.head)
    guard address > 0, length >= 8 else {
      throw before.damaged("an object header continues nowhere")
    }
    guard isNew else { return try reader.cursor(address, length, continuation) }
    var start = try reader.cursor(address, 4, continuation)
    try start.expect("OCHK")
    return try checked(address, prefix: 4, length: length - 8, continuation, reader)
  }

  /// The `length` bytes between a prefix and a checksum, which is verified.
  private static func checked(
    _ address: Int, prefix: Int, length: Int, _ what: String, _ reader: HDF5Reader
  ) throws(LoadError) -> ByteCursor {
    guard length <= reader.head.count else {
      throw .damaged("an object header is too long", at: address)
    }
    var cursor = try reader.cursor(address, prefix + length + 4, what).checked()
    try cursor.skip(prefix)
    return try cursor.part(length, what)
  }
}
