import ForgeShapes

/// One dataset: the sizes, type and location of its values.
struct HDF5Dataset: Sendable {
  enum Storage: Sendable {
    /// Contiguous values.
    case plain(address: Int)
    /// No values were written.
    case unwritten
    case chunked(HDF5Chunks)
    /// An unsupported form, with the reason.
    case other(LoadError)
  }

  /// The sizes, outermost first; none for a single value.
  let sizes: [Int]
  let datatype: HDF5Datatype
  /// The uncompressed size of all values in bytes.
  let byteCount: Int
  /// The stored form of the fill value: empty for zeros, `nil` if there is none.
  let fill: [UInt8]?
  let storage: Storage
  let attributes: HDF5Attributes

  /// Reads a dataset from its object header; `nil` for other objects.
  init?(_ header: HDF5ObjectHeader, _ reader: HDF5Reader) throws(LoadError) {
    guard let layout = header.first(.layout) else { return nil }
    guard let type = header.first(.datatype), let spaceMessage = header.first(.dataspace) else {
      throw .damaged("a dataset lacks its type or shape", at: layout.data.offset)
    }
    var cursor = try type.cursor("the type of a dataset")
    var datatype = try HDF5Datatype(&cursor)
    cursor = try spaceMessage.cursor("the shape of a dataset")
    let space = try HDF5Dataspace(&cursor, reader.head)
    sizes = space.sizes
    byteCount = try HDF5Dataspace.byteCount(space.sizes, of: datatype.byteCount)
    attributes = try HDF5Attributes(header, reader)
    if datatype.form == .opaque, datatype.byteCount == 2,
      try attributes.texts(of: "dtype", reader) == [Array("bfloat16".utf8)]
    {
      datatype.form = .numbers(.bfloat16)
    }
    self.datatype = datatype
    fill = try HDF5FillValue.read(header, elementByteCount: datatype.byteCount)
    do throws(LoadError) {
      storage = try Self.storage(
        header, layout, reader.head, space, elementByteCount: datatype.byteCount,
        byteCount: byteCount)
    } catch {
      if error.endsReading { throw error }
      storage = .other(error)
    }
  }

  private static func storage(
    _ header: HDF5ObjectHeader, _ layout: HDF5Message, _ head: HDF5Superblock,
    _ space: HDF5Dataspace, elementByteCount: Int, byteCount: Int
  ) throws(LoadError) -> Storage {
    if header.first(.externalFiles) != nil { throw .refusedHDF5("values kept in other files") }
    var cursor = try layout.cursor("the layout of a dataset")
    let start = cursor.offset
    let version = try cursor.byte()
    guard version == 3 || version == 4 else {
      throw .unsupportedHDF5("version \(version) of the layout of a dataset")
    }
    let form = try cursor.byte()
    switch form {
    case 0:
      let length = try cursor.integer(2)
      return try plain(cursor.offset, length, needs: byteCount, within: cursor.left)
    case 1:
      let address = try cursor.address(head)
      let length = try cursor.length(head)
      guard let address else { return .unwritten }
      try head.check(address, length, "the values of a dataset")
      return try plain(address, length, needs: byteCount, within: length)
    case 2:
      var filters: [HDF5Filter] = []
      if var cursor = try header.first(.filters)?.cursor("the filters of a dataset") {
        filters = try HDF5Filter.list(&cursor, elementByteCount: elementByteCount)
      }
      return .chunked(
        try HDF5Chunks(
          &cursor, version: version, head, space, elementByteCount: elementByteCount,
          filters: filters))
    case 3: throw .refusedHDF5("virtual data, put together from other datasets")
    default: throw .damaged("a layout of the unknown class \(form)", at: start)
    }
  }

  private static func plain(
    _ address: Int, _ length: Int, needs byteCount: Int, within: Int
  ) throws(LoadError) -> Storage {
    guard length == byteCount, length <= within else {
      throw .damaged(
        "\(LoadError.bytes(length)) of values where \(byteCount) are needed", at: address)
    }
    return .plain(address: address)
  }
}
