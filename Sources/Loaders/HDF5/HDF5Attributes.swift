/// The types and locations of the attributes of a group or dataset.
struct HDF5Attributes: Sendable {
  private var attributes: [EntryName: (datatype: HDF5Datatype, place: Range<Int>)] = [:]
  /// An error in one of them, thrown when any attribute is requested.
  private var fault: LoadError?
  /// Whether the object has more attributes in an unsupported form.
  private var isPartial = false

  /// Throws only errors that abort reading the file.
  init(_ header: HDF5ObjectHeader, _ reader: HDF5Reader) throws(LoadError) {
    do throws(LoadError) {
      for message in header.all(.attribute) where !message.isShared {
        try read(message, reader)
      }
      isPartial = try header.usesHeap(
        .attributeInfo, "a list of attributes", orderBytes: 2, reader.head)
    } catch {
      // An error with a file, such as an exceeded budget, aborts reading.
      guard error.path == nil else { throw error }
      fault = error
    }
  }

  private mutating func read(_ message: HDF5Message, _ reader: HDF5Reader) throws(LoadError) {
    var cursor = try message.cursor("an attribute")
    let version = try cursor.byte()
    guard (1...3).contains(version) else { return }
    let flags = try cursor.byte()
    // Keras and h5py do not write strings with a shared type.
    if version > 1, flags != 0 { return }
    let nameLength = try cursor.integer(2)
    let typeLength = try cursor.integer(2)
    let spaceLength = try cursor.integer(2)
    if version == 3 { try cursor.skip(1) }
    func padding(_ length: Int) -> Int { version == 1 ? (8 - length % 8) % 8 : 0 }
    let start = cursor
    let stored = try cursor.raw(nameLength)
    guard let end = stored.firstIndex(of: 0) else {
      throw start.damaged("an attribute's name has no end")
    }
    try cursor.skip(padding(nameLength))
    var type = try cursor.part(typeLength, "the type of an attribute")
    let datatype = try HDF5Datatype(&type)
    try cursor.skip(padding(typeLength))
    var space = try cursor.part(spaceLength, "the shape of an attribute")
    let sizes = try HDF5Dataspace(&space, reader.head).sizes
    try cursor.skip(padding(spaceLength))
    let byteCount = try HDF5Dataspace.byteCount(sizes, of: datatype.byteCount)
    guard byteCount <= cursor.left else {
      throw .damaged("the values of an attribute end too early", at: cursor.offset)
    }
    let bytes = cursor.offset..<cursor.offset + byteCount
    attributes[try reader.name(stored[..<end])] = (datatype, bytes)
  }

  /// The strings of an attribute; `nil` if it is missing or not of strings.
  func texts(of name: EntryName, _ reader: HDF5Reader) throws(LoadError) -> [[UInt8]]? {
    if let fault { throw fault }
    guard let (datatype, bytes) = attributes[name] else { return nil }
    var texts: [[UInt8]] = []
    var cursor = try reader.cursor(bytes.lowerBound, bytes.count, "an attribute")
    // h5py writes an empty list as an empty list of numbers.
    while cursor.left > 0 {
      switch datatype.form {
      case .text:
        texts.append(try reader.text(try cursor.raw(datatype.byteCount)))
      case .variableText:
        guard datatype.byteCount == 4 + reader.head.offsetSize + 4 else {
          throw .damaged("a variable-length string", at: bytes.lowerBound)
        }
        let length = try cursor.integer(4)
        let address = try cursor.address(reader.head)
        let index = try cursor.integer(4)
        texts.append(try reader.text(at: address, index: index, length: length))
      default: return nil
      }
    }
    return texts
  }

  /// The strings of an attribute that Keras may have split: `layer_names`, or `layer_names0`,
  /// `layer_names1`….
  func joinedTexts(of name: EntryName, _ reader: HDF5Reader) throws(LoadError) -> [[UInt8]]? {
    if let single = try texts(of: name, reader) { return single }
    var parts: [[[UInt8]]] = []
    while let part = try texts(of: EntryName(name.bytes + "\(parts.count)".utf8), reader) {
      parts.append(part)
    }
    guard parts.isEmpty else { return Array(parts.joined()) }
    if isPartial { throw .unsupportedHDF5("the newest form of many attributes") }
    return nil
  }
}
