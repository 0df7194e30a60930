/// The head of an HDF5 file: the sizes of addresses and lengths, and the root group.
struct HDF5Superblock: Sendable {
  /// The file offset of address 0.
  let base: Int
  /// The number of bytes from the base to the end that the file states.
  let count: Int
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
  /// More than the bytes of the head in any version.
  private static let maximumBytes = 128

  /// Reads the head; `nil` when the file has no signature.
  init?(_ bytes: HDF5Bytes) throws(LoadError) {
    guard let place = try Self.place(in: bytes.input) else { return nil }
    let fileBytes = bytes.input.count
    let length = min(Self.maximumBytes, fileBytes - place)
    var cursor = ByteCursor(try bytes(place, length), at: place, "the head of the file")
    try cursor.skip(8)
    let version = try cursor.byte()
    switch version {
    case 0, 1:
      self = try Self.old(&cursor, fileBytes: fileBytes, version: version, place: place)
    case 2, 3: self = try Self.new(&cursor, fileBytes: fileBytes, place: place)
    default: throw .unsupportedHDF5("version \(version) of the head of the file")
    }
  }

  /// The offset of the signature, which may follow a user block of 512, 1024, 2048… bytes; `nil`
  /// when there is none.
  static func place(in input: InputFile) throws(LoadError) -> Int? {
    var place = 0
    while place <= input.count - signature.count {
      if try input.array(place..<place + signature.count) == signature { return place }
      place = place == 0 ? 512 : place * 2
    }
    return nil
  }

  /// Throws unless `length` bytes at `address` lie in the file.
  func check(_ address: Int, _ length: Int, _ what: String) throws(LoadError) {
    let (end, overflow) = address.addingReportingOverflow(length)
    guard address >= 0, length >= 0, !overflow, end <= count else {
      throw .damaged("\(what) lies outside the file", at: address)
    }
  }

  private init(
    extent: (base: Int, count: Int), sizes: (offset: Int, length: Int), root: Int, groupLeafK: Int,
    groupNodeK: Int
  ) {
    base = extent.base
    count = extent.count
    self.offsetSize = sizes.offset
    self.lengthSize = sizes.length
    self.root = root
    self.groupLeafK = groupLeafK
    self.groupNodeK = groupNodeK
  }

  private static func old(
    _ cursor: inout ByteCursor, fileBytes: Int, version: Int, place: Int
  ) throws(LoadError) -> HDF5Superblock {
    // The versions of the free space, the root entry and shared messages.
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
      throw .refusedHDF5("parts of the file in other files")
    }
    try cursor.skip(sizes.offset)
    guard let root = try cursor.address(sizes.offset) else { throw .damaged("it has no root") }
    let extent = try extent(fileBytes, base: base, end: end, place: place)
    return HDF5Superblock(
      extent: extent, sizes: sizes, root: root, groupLeafK: leafK, groupNodeK: nodeK)
  }

  private static func new(
    _ cursor: inout ByteCursor, fileBytes: Int, place: Int
  ) throws(LoadError) -> HDF5Superblock {
    let sizes = try sizes(&cursor)
    try cursor.skip(1)
    let base = try cursor.address(sizes.offset)
    guard try cursor.address(sizes.offset) == nil else {
      throw .unsupportedHDF5("an extension of the head of the file")
    }
    let end = try cursor.address(sizes.offset)
    guard let root = try cursor.address(sizes.offset) else { throw .damaged("it has no root") }
    let sum = HDF5Checksum.lookup3(cursor.passed)
    guard try cursor.unsigned(4) == UInt64(sum) else {
      throw .damaged("the head's checksum is wrong", at: place)
    }
    let extent = try extent(fileBytes, base: base, end: end, place: place)
    return HDF5Superblock(extent: extent, sizes: sizes, root: root, groupLeafK: 4, groupNodeK: 16)
  }

  private static func sizes(
    _ cursor: inout ByteCursor
  ) throws(LoadError) -> (
    offset: Int, length: Int
  ) {
    let sizes = (offset: try cursor.byte(), length: try cursor.byte())
    guard [2, 4, 8].contains(sizes.offset), [2, 4, 8].contains(sizes.length) else {
      throw .damaged("addresses of \(sizes.offset) and lengths of \(sizes.length) bytes")
    }
    return sizes
  }

  /// The range of addresses, if the file is as long as it states.
  private static func extent(
    _ fileBytes: Int, base: Int?, end: Int?, place: Int
  ) throws(LoadError) -> (base: Int, count: Int) {
    // A user block may have been prepended to a file whose base is 0.
    guard let base, base == place || base == 0 else {
      throw .damaged("its base address is wrong", at: place)
    }
    guard let end else { throw .damaged("it has no end", at: place) }
    guard end >= base else { throw .damaged("it ends before it begins", at: place) }
    guard end - base <= fileBytes - place else {
      let whole = min(end - base, Int.max - place) + place
      throw .damaged("it is cut off: \(fileBytes) of \(whole) bytes")
    }
    return (place, end - base)
  }
}
