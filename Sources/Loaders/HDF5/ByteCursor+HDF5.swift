extension ByteCursor {
  /// An address of `size` bytes; `nil` where all bits are set, which means undefined.
  mutating func address(_ size: Int) throws(LoadError) -> Int? {
    let place = self
    let value = try unsigned(size)
    if value == UInt64.max >> UInt64(64 - 8 * size) { return nil }
    guard let address = Int(exactly: value) else {
      throw place.damaged("\(what) has an address outside the file")
    }
    return address
  }

  /// An address in the size of the file's addresses; `nil` when undefined.
  mutating func address(_ head: HDF5Superblock) throws(LoadError) -> Int? {
    try address(head.offsetSize)
  }

  /// An address that must be defined.
  mutating func definedAddress(_ head: HDF5Superblock) throws(LoadError) -> Int {
    let place = self
    guard let address = try address(head) else { throw place.damaged("an address is missing") }
    return address
  }

  /// A length in the size of the file's lengths.
  mutating func length(_ head: HDF5Superblock) throws(LoadError) -> Int {
    try integer(head.lengthSize)
  }

  /// Throws unless the next bytes are `signature`, and then `version` if there is one.
  mutating func expect(_ signature: StaticString, version: Int? = nil) throws(LoadError) {
    let place = self
    guard try raw(signature.utf8CodeUnitCount).elementsEqual(signature.description.utf8) else {
      throw place.damaged("\(what) does not begin with \(signature)")
    }
    if let version { try expectVersion(version) }
  }

  /// Throws unless the next byte is `version`.
  mutating func expectVersion(_ version: Int) throws(LoadError) {
    let found = try byte()
    guard found == version else { throw .unsupportedHDF5("version \(found) of \(what)") }
  }

  /// This position without the last four bytes, which must be the checksum of all others.
  func checked() throws(LoadError) -> ByteCursor {
    var end = self
    try end.skip(left - 4)
    let place = end
    guard try end.unsigned(4) == UInt64(HDF5Checksum.lookup3(place.passed)) else {
      throw place.damaged("the checksum of \(what) is wrong")
    }
    return upTo(place)
  }
}
