#if HDF5
  /// The head of an HDF5 file: sizes of its addresses and lengths, and where its root group is.
  struct HDF5Superblock: Sendable {
    /// The bytes that addresses are counted in.
    let bytes: HDF5Bytes
    /// Bytes of one address.
    let offsetSize: Int
    /// Bytes of one length.
    let lengthSize: Int
    /// The address of the root group's object header.
    let root: Int
    /// Half the largest number of entries of a leaf of an old-style group.
    let groupLeafK: Int
    /// Half the largest number of children of a node of an old-style group.
    let groupNodeK: Int

    private static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]

    /// Reads the head; it may stand after a block of the user's own of 512, 1024, 2048… bytes.
    init(_ mapping: FileMapping) throws(HDF5Fault) {
      var place = 0
      let all = HDF5Bytes(mapping: mapping, base: 0, count: mapping.count)
      while try !all.bytes(place, 8, "the signature").elementsEqual(Self.signature) {
        place = place == 0 ? 512 : place * 2
        guard place <= mapping.count - 8 else { throw .damaged("it has no signature") }
      }
      var cursor = try all.cursor(place, all.count - place, "the head of the file")
      try cursor.skip(8)
      let version = try cursor.byte()
      switch version {
      case 0, 1: self = try Self.old(&cursor, mapping: mapping, version: version, place: place)
      case 2, 3: self = try Self.new(&cursor, mapping: mapping, place: place)
      default: throw .unsupported("version \(version) of the head of the file")
      }
    }

    /// Whether the file has the signature of an HDF5 file at one of its places.
    static func isHDF5(_ mapping: FileMapping) -> Bool {
      var place = 0
      while place <= mapping.count - signature.count {
        if mapping.bytes[place..<(place + signature.count)].elementsEqual(signature) { return true }
        place = place == 0 ? 512 : place * 2
      }
      return false
    }

    private init(
      bytes: HDF5Bytes, sizes: (offset: Int, length: Int), root: Int, groupLeafK: Int,
      groupNodeK: Int
    ) {
      self.bytes = bytes
      self.offsetSize = sizes.offset
      self.lengthSize = sizes.length
      self.root = root
      self.groupLeafK = groupLeafK
      self.groupNodeK = groupNodeK
    }

    private static func old(
      _ cursor: inout HDF5Cursor, mapping: FileMapping, version: Int, place: Int
    ) throws(HDF5Fault) -> HDF5Superblock {
      // Versions of the free space, the root entry and shared messages: all 0.
      for _ in 0..<2 { try cursor.expectVersion(0) }
      try cursor.skip(1)
      try cursor.expectVersion(0)
      let sizes = try sizes(&cursor)
      try cursor.skip(1)
      let leafK = try cursor.integer(2)
      let nodeK = try cursor.integer(2)
      guard leafK > 0, nodeK > 0 else { throw .damaged("its groups may have no entries") }
      try cursor.skip(version == 1 ? 8 : 4)
      let base = try cursor.address(sizes.offset)
      _ = try cursor.address(sizes.offset)
      let end = try cursor.address(sizes.offset)
      guard try cursor.address(sizes.offset) == nil else {
        throw .refused("parts of the file in other files")
      }
      try cursor.skip(sizes.offset)
      guard let root = try cursor.address(sizes.offset) else { throw .damaged("it has no root") }
      let bytes = try bytes(mapping, base: base, end: end, place: place)
      return HDF5Superblock(
        bytes: bytes, sizes: sizes, root: root, groupLeafK: leafK, groupNodeK: nodeK)
    }

    private static func new(
      _ cursor: inout HDF5Cursor, mapping: FileMapping, place: Int
    ) throws(HDF5Fault) -> HDF5Superblock {
      let sizes = try sizes(&cursor)
      try cursor.skip(1)
      let base = try cursor.address(sizes.offset)
      guard try cursor.address(sizes.offset) == nil else {
        throw .unsupported("an extension of the head of the file")
      }
      let end = try cursor.address(sizes.offset)
      guard let root = try cursor.address(sizes.offset) else { throw .damaged("it has no root") }
      let summed = try cursor.bytes.bytes(place, cursor.offset - place, "the head of the file")
      guard try cursor.unsigned(4) == UInt64(HDF5Checksum.lookup3(summed)) else {
        throw .damaged("the head's checksum is wrong", at: place)
      }
      let bytes = try bytes(mapping, base: base, end: end, place: place)
      return HDF5Superblock(bytes: bytes, sizes: sizes, root: root, groupLeafK: 4, groupNodeK: 16)
    }

    private static func sizes(
      _ cursor: inout HDF5Cursor
    ) throws(HDF5Fault) -> (
      offset: Int, length: Int
    ) {
      let sizes = (offset: try cursor.byte(), length: try cursor.byte())
      guard [2, 4, 8].contains(sizes.offset), [2, 4, 8].contains(sizes.length) else {
        throw .damaged("addresses of \(sizes.offset) and lengths of \(sizes.length) bytes")
      }
      return sizes
    }

    /// The bytes from the base address on, once the file is as long as it says it is.
    private static func bytes(
      _ mapping: FileMapping, base: Int?, end: Int?, place: Int
    ) throws(HDF5Fault) -> HDF5Bytes {
      // A user's block may have been put before a file that begins at 0.
      guard let base, base == place || base == 0 else {
        throw .damaged("its base address is wrong", at: place)
      }
      guard let end else { throw .damaged("it has no end", at: place) }
      guard end >= base else { throw .damaged("it ends before it begins", at: place) }
      guard end - base <= mapping.count - place else {
        let whole = min(end - base, Int.max - place) + place
        throw .damaged("it is cut off: \(mapping.count) of \(whole) bytes")
      }
      // libhdf5 reads nothing behind the end the file states.
      return HDF5Bytes(mapping: mapping, base: place, count: end - base)
    }
  }

  extension HDF5Cursor {
    /// An address in the size of the file's addresses; `nil` when undefined.
    mutating func address(_ head: HDF5Superblock) throws(HDF5Fault) -> Int? {
      try address(head.offsetSize)
    }

    /// An address that must be there.
    mutating func definedAddress(_ head: HDF5Superblock) throws(HDF5Fault) -> Int {
      let start = offset
      guard let address = try address(head.offsetSize) else {
        throw .damaged("an address is missing", at: start)
      }
      return address
    }

    /// A length in the size of the file's lengths.
    mutating func length(_ head: HDF5Superblock) throws(HDF5Fault) -> Int {
      try integer(head.lengthSize)
    }
  }
#endif
