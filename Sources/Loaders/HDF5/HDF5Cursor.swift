/// A place in one structure of an HDF5 file that moves on as values are read.
///
/// The bytes of the structure are in memory; every bound is checked.
struct HDF5Cursor {
  private var bytes: ArraySlice<UInt8>
  /// The address of the structure's first byte.
  private let start: Int
  private var next: Int
  private var what: String

  /// A cursor at the first of `bytes`, which lie at `address`.
  init(_ bytes: ArraySlice<UInt8>, at address: Int, _ what: String) {
    self.bytes = bytes
    self.start = address
    self.next = bytes.startIndex
    self.what = what
  }

  /// The same place of a structure that messages call `what`.
  func named(_ what: String) -> HDF5Cursor {
    var cursor = self
    cursor.what = what
    return cursor
  }

  /// The address of the next byte.
  var offset: Int { start + (next - bytes.startIndex) }

  /// The bytes that are left.
  var left: Int { bytes.endIndex - next }

  /// The bytes that were read so far.
  var passed: ArraySlice<UInt8> { bytes[..<next] }

  /// The next bytes as they are.
  mutating func raw(_ length: Int) throws(HDF5Fault) -> ArraySlice<UInt8> {
    let first = next
    try skip(length)
    return bytes[first..<next]
  }

  /// A cursor over the next bytes.
  mutating func part(_ length: Int, _ what: String) throws(HDF5Fault) -> HDF5Cursor {
    let address = offset
    return HDF5Cursor(try raw(length), at: address, what)
  }

  /// Passes over bytes.
  mutating func skip(_ length: Int) throws(HDF5Fault) {
    guard length >= 0, length <= left else {
      throw .damaged("\(what) ends too early", at: offset)
    }
    next += length
  }

  /// The next `size` bytes as a little-endian number.
  mutating func unsigned(_ size: Int) throws(HDF5Fault) -> UInt64 {
    let first = next
    try skip(size)
    var value: UInt64 = 0
    for index in 0..<size { value |= UInt64(bytes[first + index]) << UInt64(8 * index) }
    return value
  }

  /// The next `size` bytes as a number that fits `Int`.
  mutating func integer(_ size: Int) throws(HDF5Fault) -> Int {
    let start = offset
    guard let value = Int(exactly: try unsigned(size)) else {
      throw .damaged("\(what) has a number that is too large", at: start)
    }
    return value
  }

  /// The next byte.
  mutating func byte() throws(HDF5Fault) -> Int { try integer(1) }

  /// An address of `size` bytes; `nil` where all bits are set, which means there is none.
  mutating func address(_ size: Int) throws(HDF5Fault) -> Int? {
    let start = offset
    let value = try unsigned(size)
    if value == UInt64.max >> UInt64(64 - 8 * size) { return nil }
    guard let address = Int(exactly: value) else {
      throw .damaged("\(what) has an address outside the file", at: start)
    }
    return address
  }

  /// Throws unless the next bytes are `signature`.
  mutating func expect(_ signature: StaticString) throws(HDF5Fault) {
    let start = offset
    let found = try raw(signature.utf8CodeUnitCount)
    let wanted = UnsafeBufferPointer(
      start: signature.utf8Start, count: signature.utf8CodeUnitCount)
    guard found.elementsEqual(wanted) else {
      throw .damaged("\(what) does not begin with \(signature)", at: start)
    }
  }

  /// Throws unless the next byte is `version`.
  mutating func expectVersion(_ version: Int) throws(HDF5Fault) {
    let found = try byte()
    guard found == version else { throw .unsupported("version \(found) of \(what)") }
  }

  /// The same place in the bytes before the last four, once these are the checksum of all others.
  func checked() throws(HDF5Fault) -> HDF5Cursor {
    guard left >= 4 else { throw .damaged("\(what) ends too early", at: offset) }
    let end = bytes.endIndex - 4
    var sum = HDF5Cursor(bytes[end...], at: start + (end - bytes.startIndex), what)
    guard try sum.unsigned(4) == UInt64(HDF5Checksum.lookup3(bytes[..<end])) else {
      throw .damaged("the checksum of \(what) is wrong", at: start + (end - bytes.startIndex))
    }
    var cursor = self
    cursor.bytes = bytes[..<end]
    return cursor
  }
}
