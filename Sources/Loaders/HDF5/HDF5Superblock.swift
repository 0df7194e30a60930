/// The superblock of an HDF5 file: the sizes of addresses and lengths, and the root group.
struct HDF5Superblock: Sendable {
  /// The file offset of address 0.
  let base: Int
  /// The number of bytes from the base to the stated end of the file.
  let count: Int
  /// The size of an address in bytes.
  let offsetSize: Int
  /// The size of a length in bytes.
  let lengthSize: Int
  /// The address of the root group's object header.
  let root: Int
  /// Half the maximum number of entries of a leaf of an old-style group.
  let groupLeafK: Int
  /// Half the maximum number of children of a node of an old-style group.
  let groupNodeK: Int

  private static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
  /// An upper bound of the superblock's size in all versions.
  private static let maximumBytes = 128

  /// Reads the superblock; `nil` when the file has no signature.
  init?(_ input: InputFile, _ budget: LoadBudget) throws(LoadError) {
    guard let place = try Self.place(in: input) else { return nil }
    let length = min(Self.maximumBytes, input.count - place)
    try budget.take(bytes: length)
    let bytes = try input.array(place..<place + length)
    var cursor = ByteCursor(bytes[...], at: place, "the head of the file")
    try cursor.skip(Self.signature.count)
    let version = try cursor.byte()
    guard version < 4 else {
      throw .unsupportedHDF5("version \(version) of the head of the file")
    }
    let isOld = version < 2
    if isOld {
      // The versions of the free space, the root entry and shared messages.
      for _ in 0..<2 { try cursor.expectVersion(0) }
      try cursor.skip(1)
      try cursor.expectVersion(0)
    }
    offsetSize = try cursor.byte()
    lengthSize = try cursor.byte()
    guard [2, 4, 8].contains(offsetSize), [2, 4, 8].contains(lengthSize) else {
      throw .damaged("addresses of \(offsetSize) and lengths of \(lengthSize) bytes")
    }
    try cursor.skip(1)
    groupLeafK = isOld ? try cursor.integer(2) : 4
    groupNodeK = isOld ? try cursor.integer(2) : 16
    guard groupLeafK > 0, groupNodeK > 0 else { throw .damaged("its groups may have no entries") }
    if isOld { try cursor.skip(version == 1 ? 8 : 4) }
    let base = try cursor.address(offsetSize)
    // Versions 0 and 1 have the address of the free space here.
    let addition = try cursor.address(offsetSize)
    guard isOld || addition == nil else {
      throw .unsupportedHDF5("an extension of the head of the file")
    }
    let end = try cursor.address(offsetSize)
    if isOld {
      guard try cursor.address(offsetSize) == nil else {
        throw .refusedHDF5("parts of the file in other files")
      }
      try cursor.skip(offsetSize)
    }
    guard let root = try cursor.address(offsetSize) else { throw .damaged("it has no root") }
    if !isOld {
      let sum = HDF5Checksum.lookup3(cursor.passed)
      guard try cursor.unsigned(4) == UInt64(sum) else {
        throw .damaged("the head's checksum is wrong", at: place)
      }
    }
    // A user block may have been prepended to a file whose base is 0.
    guard let base, base == place || base == 0 else {
      throw .damaged("its base address is wrong", at: place)
    }
    guard let end else { throw .damaged("it has no end", at: place) }
    guard end >= base else { throw .damaged("it ends before it begins", at: place) }
    guard end - base <= input.count - place else {
      let needed = min(end - base, Int.max - place) + place
      throw .damaged("it is cut off: \(input.count) of \(needed) bytes")
    }
    self.base = place
    self.root = root
    count = end - base
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
    guard address >= 0, length >= 0, address <= count, length <= count - address else {
      throw .damaged("\(what) lies outside the file", at: address)
    }
  }
}
