#if HDF5
  import ForgeShapes

  /// One dataset: the sizes and type of its values, and where they lie.
  struct HDF5Dataset: Sendable {
    /// How the values are kept.
    enum Storage: Sendable {
      /// One after the other at an address; `nil` when none were ever written.
      case plain(address: Int?, byteCount: Int)
      /// In blocks of equal sizes, found through a tree.
      case chunked(HDF5Chunks)
      /// In a form Forge does not read, with the reason.
      case other(HDF5Fault)
    }

    /// The sizes, outermost first; none for a single value.
    let sizes: [Int]
    /// The type of the values.
    let datatype: HDF5Datatype
    /// The number of values.
    let count: Int
    /// The bytes of all values, uncompressed.
    let byteCount: Int
    /// How they are kept.
    let storage: Storage

    /// Reads a dataset from its object header; `nil` when the header is another object's.
    init?(_ header: HDF5ObjectHeader, _ head: HDF5Superblock) throws(HDF5Fault) {
      guard let layout = header.first(.layout) else { return nil }
      guard let type = header.first(.datatype), let space = header.first(.dataspace) else {
        throw .damaged("a dataset lacks its type or shape", at: layout.address)
      }
      var cursor = try type.cursor(head, "the type of a dataset")
      var datatype = try HDF5Datatype(&cursor)
      cursor = try space.cursor(head, "the shape of a dataset")
      sizes = try HDF5Dataspace.sizes(&cursor, head) ?? [0]
      byteCount = try HDF5Dataspace.byteCount(sizes, of: datatype.byteCount)
      count = byteCount / datatype.byteCount
      if datatype.form == .opaque, datatype.byteCount == 2,
        try HDF5Attributes(header, head).texts(of: "dtype") == ["bfloat16"]
      {
        datatype = HDF5Datatype(.numbers(.bfloat16), byteCount: 2)
      }
      self.datatype = datatype
      do {
        storage = try Self.storage(
          header, layout, head, sizes: sizes, elementByteCount: datatype.byteCount,
          byteCount: byteCount)
      } catch .damaged(let what, let offset) {
        throw .damaged(what, at: offset)
      } catch {
        storage = .other(error)
      }
    }

    private static func storage(
      _ header: HDF5ObjectHeader, _ layout: HDF5Message, _ head: HDF5Superblock, sizes: [Int],
      elementByteCount: Int, byteCount: Int
    ) throws(HDF5Fault) -> Storage {
      if header.first(.externalFiles) != nil { throw .refused("values kept in other files") }
      var cursor = try layout.cursor(head, "the layout of a dataset")
      let version = try cursor.byte()
      guard version == 3 || version == 4 else {
        throw .unsupported("version \(version) of the layout of a dataset")
      }
      let form = try cursor.byte()
      switch form {
      case 0:
        let length = try cursor.integer(2)
        return try plain(cursor.offset, length, needs: byteCount, within: cursor.left)
      case 1:
        let address = try cursor.address(head)
        let length = try cursor.length(head)
        guard let address else { return .plain(address: nil, byteCount: byteCount) }
        try head.bytes.check(address, length, "the values of a dataset")
        return try plain(address, length, needs: byteCount, within: length)
      case 2:
        guard version == 3 else { throw .unsupported("the newest form of chunks") }
        let filters = try header.first(.filters).map { message throws(HDF5Fault) in
          var cursor = try message.cursor(head, "the filters of a dataset")
          return try HDF5Filters(&cursor, elementByteCount: elementByteCount)
        }
        return .chunked(
          try HDF5Chunks(
            &cursor, head, sizes: sizes, elementByteCount: elementByteCount,
            filters: filters ?? HDF5Filters()))
      case 3: throw .refused("virtual data, put together from other datasets")
      default: throw .damaged("a layout of the unknown class \(form)", at: layout.address)
      }
    }

    private static func plain(
      _ address: Int, _ length: Int, needs byteCount: Int, within: Int
    ) throws(HDF5Fault) -> Storage {
      guard length == byteCount, length <= within else {
        throw .damaged("\(length) bytes of values where \(byteCount) are needed", at: address)
      }
      return .plain(address: address, byteCount: byteCount)
    }
  }

  extension HDF5Datatype {
    /// A type known from elsewhere.
    init(_ form: Form, byteCount: Int) {
      self.form = form
      self.byteCount = byteCount
    }
  }
#endif
