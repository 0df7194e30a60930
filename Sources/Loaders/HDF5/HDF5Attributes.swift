#if HDF5
  /// The attributes of a group or dataset, as far as they are texts.
  struct HDF5Attributes: Sendable {
    private struct Attribute: Sendable {
      let datatype: HDF5Datatype
      let count: Int
      let address: Int
      let byteCount: Int
    }

    private let head: HDF5Superblock
    private let attributes: [String: Attribute]
    /// Whether there may be more attributes than were read.
    let isPartial: Bool

    /// Reads where the attributes of an object lie.
    init(_ header: HDF5ObjectHeader, _ head: HDF5Superblock) throws(HDF5Fault) {
      self.head = head
      var attributes: [String: Attribute] = [:]
      for message in header.all(.attribute) where !message.isShared {
        if let (name, attribute) = try Self.attribute(message, head) {
          attributes[name] = attribute
        }
      }
      self.attributes = attributes
      isPartial =
        try header.first(.attributeInfo).map { message throws(HDF5Fault) in
          var cursor = try message.cursor(head, "a list of attributes")
          try cursor.expectVersion(0)
          let flags = try cursor.byte()
          if flags & 1 != 0 { try cursor.skip(2) }
          return try cursor.address(head) != nil
        } ?? false
    }

    private static func attribute(
      _ message: HDF5Message, _ head: HDF5Superblock
    ) throws(HDF5Fault) -> (String, Attribute)? {
      var cursor = try message.cursor(head, "an attribute")
      let version = try cursor.byte()
      guard (1...3).contains(version) else { return nil }
      let flags = try cursor.byte()
      // A type kept in another place is none of a text that Keras or h5py writes.
      if version > 1, flags != 0 { return nil }
      let lengths = (
        name: try cursor.integer(2), type: try cursor.integer(2), space: try cursor.integer(2)
      )
      if version == 3 { try cursor.skip(1) }
      func padded(_ length: Int) -> Int { version == 1 ? (length + 7) / 8 * 8 : length }
      let nameStart = cursor.offset
      try cursor.skip(padded(lengths.name))
      let name = try head.bytes.text(
        at: nameStart, end: nameStart + lengths.name, "an attribute's name")
      let typeStart = cursor.offset
      try cursor.skip(padded(lengths.type))
      var type = try head.bytes.cursor(typeStart, lengths.type, "the type of an attribute")
      let datatype = try HDF5Datatype(&type)
      let spaceStart = cursor.offset
      try cursor.skip(padded(lengths.space))
      var space = try head.bytes.cursor(spaceStart, lengths.space, "the shape of an attribute")
      let sizes = try HDF5Dataspace.sizes(&space, head) ?? [0]
      let byteCount = try HDF5Dataspace.byteCount(sizes, of: datatype.byteCount)
      guard byteCount <= cursor.left else {
        throw .damaged("the values of an attribute end too early", at: cursor.offset)
      }
      return (
        name,
        Attribute(
          datatype: datatype, count: byteCount / datatype.byteCount, address: cursor.offset,
          byteCount: byteCount)
      )
    }

    /// The texts of an attribute; `nil` when there is none, or it is not made of texts.
    func texts(of name: String) throws(HDF5Fault) -> [String]? {
      guard let attribute = attributes[name] else { return nil }
      // h5py writes an empty list as an empty list of numbers.
      if attribute.count == 0 { return [] }
      var cursor = try head.bytes.cursor(attribute.address, attribute.byteCount, "an attribute")
      var texts: [String] = []
      switch attribute.datatype.form {
      case .text:
        for _ in 0..<attribute.count {
          let bytes = try cursor.raw(attribute.datatype.byteCount)
          texts.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        }
      case .variableText:
        guard attribute.datatype.byteCount == 4 + head.offsetSize + 4 else {
          throw .damaged("a text of variable length", at: attribute.address)
        }
        var heap = HDF5GlobalHeap(head)
        var total = 0
        for _ in 0..<attribute.count {
          let length = try cursor.integer(4)
          total += length
          // Many references to one long text would fill the memory.
          guard total <= head.bytes.count else { throw .refused("texts longer than the file") }
          let address = try cursor.address(head)
          let index = try cursor.integer(4)
          texts.append(try heap.text(at: address, index: index, length: length))
        }
      default: return nil
      }
      return texts
    }

    /// The texts of an attribute that Keras has cut into parts: `layer_names`, or `layer_names0`,
    /// `layer_names1`….
    func joinedTexts(of name: String) throws(HDF5Fault) -> [String]? {
      if let whole = try texts(of: name) { return whole }
      var parts: [String]?
      var index = 0
      while let part = try texts(of: "\(name)\(index)") {
        parts = (parts ?? []) + part
        index += 1
      }
      return parts
    }
  }

  /// Texts of variable length, which lie in collections apart from the attributes that have them.
  struct HDF5GlobalHeap {
    private let head: HDF5Superblock
    private var collections: [Int: [Int: Range<Int>]] = [:]

    init(_ head: HDF5Superblock) {
      self.head = head
    }

    /// The text of an object of a collection.
    mutating func text(
      at address: Int?, index: Int, length: Int
    ) throws(HDF5Fault) -> String {
      guard length > 0, let address, index > 0 else { return "" }
      let objects: [Int: Range<Int>]
      if let known = collections[address] {
        objects = known
      } else {
        objects = try read(address)
        collections[address] = objects
      }
      guard let range = objects[index], length <= range.count else {
        throw .damaged("a text that is not there", at: address)
      }
      let bytes = try head.bytes.bytes(range.lowerBound, length, "a text")
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private func read(_ address: Int) throws(HDF5Fault) -> [Int: Range<Int>] {
      var start = try head.bytes.cursor(address, 8 + head.lengthSize, "a heap of texts")
      try start.expect("GCOL")
      try start.expectVersion(1)
      try start.skip(3)
      let length = try start.length(head)
      var cursor = try head.bytes.cursor(address, length, "a heap of texts")
      try cursor.skip(8 + head.lengthSize)
      var objects: [Int: Range<Int>] = [:]
      while cursor.left >= 8 + head.lengthSize {
        let index = try cursor.integer(2)
        try cursor.skip(6)
        let size = try cursor.length(head)
        // The object 0 is the free space, and the last.
        guard index > 0 else { break }
        let range = cursor.offset..<(cursor.offset + min(size, cursor.left))
        guard range.count == size else {
          throw .damaged("a text is longer than its heap", at: cursor.offset)
        }
        objects[index] = range
        try cursor.skip(min((size + 7) / 8 * 8, cursor.left))
      }
      return objects
    }
  }
#endif
