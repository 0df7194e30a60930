/// A name in a group and its target.
typealias HDF5Link = (name: EntryName, content: HDF5Contents.Node.Content)

/// The links of one group.
enum HDF5Group {
  /// The links of a group, sorted by name; `nil` for other objects.
  static func links(
    _ header: HDF5ObjectHeader, _ reader: HDF5Reader
  ) throws(LoadError) -> [HDF5Link]? {
    var links: [HDF5Link] = []
    if var cursor = try header.first(.symbolTable)?.cursor("a group") {
      let tree = try cursor.definedAddress(reader.head)
      let heap = try HDF5LocalHeap(at: try cursor.definedAddress(reader.head), reader)
      links = try HDF5SymbolTable(tree, heap).links
    } else if header.first(.linkInfo) != nil || header.first(.link) != nil {
      guard try !header.usesHeap(.linkInfo, "a group", orderBytes: 8, reader.head) else {
        throw .unsupportedHDF5("the newest form of large groups")
      }
      for message in header.all(.link) {
        try reader.countEntry()
        links.append(try link(message, reader))
      }
      links.sort { $0.name < $1.name }
    } else {
      return nil
    }
    // Duplicate names are adjacent in a sorted list.
    var last: EntryName?
    for (name, _) in links {
      guard name.count > 0, name != ".", !name.bytes.contains(UInt8(ascii: "/")) else {
        throw .damaged("a group has an entry without a proper name")
      }
      guard name != last else {
        throw .damaged("a group has two entries of the name \"\(name)\"")
      }
      last = name
    }
    return links
  }

  private static func link(
    _ message: HDF5Message, _ reader: HDF5Reader
  ) throws(LoadError) -> HDF5Link {
    var cursor = try message.cursor("a link")
    try cursor.expectVersion(1)
    let flags = try cursor.byte()
    let kind = flags & 0x08 != 0 ? try cursor.byte() : 0
    if flags & 0x04 != 0 { try cursor.skip(8) }
    if flags & 0x10 != 0 { try cursor.skip(1) }
    let length = try cursor.integer(1 << (flags & 3))
    let name = try reader.name(try cursor.raw(length))
    switch kind {
    case 0: return (name, .object(try cursor.definedAddress(reader.head)))
    case 1: return (name, .soft(try reader.name(try cursor.raw(try cursor.integer(2)))))
    case 64: return (name, .blocked(.refusedHDF5("a link to another file")))
    default: return (name, .blocked(.refusedHDF5("a link of a user's own kind")))
    }
  }
}
