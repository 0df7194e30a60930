/// The locations of the attributes of a group or dataset that may be texts.
struct HDF5Attributes: Sendable {
  private struct Attribute: Sendable {
    let datatype: HDF5Datatype
    let count: Int
    let address: Int
    let byteCount: Int
  }

  private var attributes: [EntryName: Attribute] = [:]
  /// An error in one of them, which is thrown when an attribute is asked for.
  private var fault: LoadError?
  /// Whether the object has more attributes in a form that is not read.
  private(set) var isPartial = false

  /// Reads the locations of the attributes of an object.
  ///
  /// - Throws: only errors that end the reading of the file.
  init(_ header: HDF5ObjectHeader, _ reader: HDF5Reader) throws(LoadError) {
    do throws(LoadError) {
      for message in header.all(.attribute) where !message.isShared {
        try read(message, reader)
      }
      isPartial = try Self.hasMore(header, reader.head)
    } catch {
      // An error that names its file ends the reading.
      guard error.path == nil else { throw error }
      fault = error
    }
  }

  /// Whether attributes are stored in a heap.
  private static func hasMore(
    _ header: HDF5ObjectHeader, _ head: HDF5Superblock
  ) throws(LoadError) -> Bool {
    guard let message = header.first(.attributeInfo) else { return false }
    var cursor = try message.cursor("a list of attributes")
    try cursor.expectVersion(0)
    let flags = try cursor.byte()
    if flags & 1 != 0 { try cursor.skip(2) }
    return try cursor.address(head) != nil
  }

  private mutating func read(_ message: HDF5Message, _ reader: HDF5Reader) throws(LoadError) {
    var cursor = try message.cursor("an attribute")
    let version = try cursor.byte()
    guard (1...3).contains(version) else { return }
    let flags = try cursor.byte()
    // Keras and h5py do not write texts with a shared type.
    if version > 1, flags != 0 { return }
    let lengths = (
      name: try cursor.integer(2), type: try cursor.integer(2), space: try cursor.integer(2)
    )
    if version == 3 { try cursor.skip(1) }
    func padding(_ length: Int) -> Int { version == 1 ? (8 - length % 8) % 8 : 0 }
    let nameStart = cursor.offset
    let stored = try cursor.raw(lengths.name)
    guard let end = stored.firstIndex(of: 0) else {
      throw .damaged("an attribute's name has no end", at: nameStart)
    }
    try cursor.skip(padding(lengths.name))
    var type = try cursor.part(lengths.type, "the type of an attribute")
    let datatype = try HDF5Datatype(&type)
    try cursor.skip(padding(lengths.type))
    var space = try cursor.part(lengths.space, "the shape of an attribute")
    let sizes = try HDF5Dataspace(&space, reader.head).sizes
    try cursor.skip(padding(lengths.space))
    let byteCount = try HDF5Dataspace.byteCount(sizes, of: datatype.byteCount)
    guard byteCount <= cursor.left else {
      throw .damaged("the values of an attribute end too early", at: cursor.offset)
    }
    attributes[try reader.name(stored[..<end])] = Attribute(
      datatype: datatype, count: byteCount / datatype.byteCount, address: cursor.offset,
      byteCount: byteCount)
  }

  /// The texts of an attribute; `nil` when there is none, or it is not made of texts.
  func texts(of name: EntryName, _ reader: HDF5Reader) throws(LoadError) -> [[UInt8]]? {
    if let fault { throw fault }
    guard let attribute = attributes[name] else { return nil }
    // h5py writes an empty list as an empty list of numbers.
    if attribute.count == 0 { return [] }
    var cursor = try reader.cursor(attribute.address, attribute.byteCount, "an attribute")
    var texts: [[UInt8]] = []
    switch attribute.datatype.form {
    case .text:
      for _ in 0..<attribute.count {
        let bytes = try cursor.raw(attribute.datatype.byteCount)
        texts.append(try reader.text(bytes))
      }
    case .variableText:
      guard attribute.datatype.byteCount == 4 + reader.head.offsetSize + 4 else {
        throw .damaged("a text of variable length", at: attribute.address)
      }
      for _ in 0..<attribute.count {
        let length = try cursor.integer(4)
        let address = try cursor.address(reader.head)
        let index = try cursor.integer(4)
        texts.append(try reader.text(at: address, index: index, length: length))
      }
    default: return nil
    }
    return texts
  }

  /// The texts of an attribute that Keras has cut into parts: `layer_names`, or `layer_names0`,
  /// `layer_names1`….
  func joinedTexts(of name: EntryName, _ reader: HDF5Reader) throws(LoadError) -> [[UInt8]]? {
    if let whole = try texts(of: name, reader) { return whole }
    var all: [[UInt8]] = []
    var index = 0
    while let part = try texts(of: EntryName(name.bytes + Array("\(index)".utf8)), reader) {
      all.append(contentsOf: part)
      index += 1
    }
    return index > 0 ? all : nil
  }
}
