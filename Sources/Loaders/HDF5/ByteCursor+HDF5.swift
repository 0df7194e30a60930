extension ByteCursor {
  /// An address of `size` bytes; `nil` if undefined (all bits set).
  mutating func address(_ size: Int) throws(LoadError) -> Int? {
    let start = self
    let value = try unsigned(size)
    if value == UInt64.max >> UInt64(64 - 8 * size) { return nil }
    guard let address = Int(exactly: value) else {
      throw start.damaged("\(what) has an address outside the file")
    }
    return address
  }

  /// An address of the file's address size; `nil` if undefined.
  mutating func address(_ head: HDF5Superblock) throws(LoadError) -> Int? {
    try address(head.offsetSize)
  }

  /// An address that must be defined.
  mutating func definedAddress(_ head: HDF5Superblock) throws(LoadError) -> Int {
    let start = self
    guard let address = try address(head) else { throw start.damaged("an address is missing") }
    return address
  }

  /// A length of the file's length size.
  mutating func length(_ head: HDF5Superblock) throws(LoadError) -> Int {
    try integer(head.lengthSize)
  }

  /// Throws unless the next bytes are `signature`, followed by `version` if given.
  mutating func expect(_ signature: StaticString, version: Int? = nil) throws(LoadError) {
    let start = self
    guard try raw(signature.utf8CodeUnitCount).elementsEqual(signature.description.utf8) else {
      throw start.damaged("\(what) does not begin with \(signature)")
    }
    if let version { try expectVersion(version) }
  }

  /// Throws unless the next byte is `version`.
  mutating func expectVersion(_ version: Int) throws(LoadError) {
    let found = try byte()
    guard found == version else { throw .unsupportedHDF5("version \(found) of \(what)") }
  }

  /// Verifies that the last four bytes are the checksum of the others, and drops them.
  func checked() throws(LoadError) -> ByteCursor {
    var end = self
    try end.skip(left - 4)
    let checksum = end
    guard try end.unsigned(4) == UInt64(HDF5Checksum.lookup3(checksum.passed)) else {
      throw checksum.damaged("the checksum of \(what) is wrong")
    }
    return upTo(checksum)
  }
}
