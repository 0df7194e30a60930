#if HDF5
  /// The bytes of an HDF5 file from its base address on, read with every bound checked.
  struct HDF5Bytes: Sendable {
    /// The mapped file.
    let mapping: FileMapping
    /// Where in the file address 0 lies.
    let base: Int

    /// The number of bytes from the base to the end, where the file says that is.
    let count: Int

    /// Throws unless `length` bytes at `address` lie in the file.
    func check(_ address: Int, _ length: Int, _ what: String) throws(HDF5Fault) {
      let (end, overflow) = address.addingReportingOverflow(length)
      guard address >= 0, length >= 0, !overflow, end <= count else {
        throw .damaged("\(what) lies outside the file", at: address)
      }
    }

    /// The bytes of a range.
    func bytes(
      _ address: Int, _ length: Int, _ what: String
    ) throws(HDF5Fault)
      -> UnsafeRawBufferPointer
    {
      try check(address, length, what)
      return UnsafeRawBufferPointer(
        rebasing: mapping.bytes[(base + address)..<(base + address + length)])
    }

    /// A cursor over `length` bytes at `address`.
    func cursor(_ address: Int, _ length: Int, _ what: String) throws(HDF5Fault) -> HDF5Cursor {
      try check(address, length, what)
      return HDF5Cursor(bytes: self, offset: address, end: address + length, what: what)
    }

    /// A text that ends with a NUL before `end`.
    func text(at address: Int, end: Int, _ what: String) throws(HDF5Fault) -> String {
      let bytes = try bytes(address, end - address, what)
      guard let length = bytes.firstIndex(of: 0) else {
        throw .damaged("\(what) has no end", at: address)
      }
      return String(decoding: bytes[..<length], as: UTF8.self)
    }
  }

  /// A place in the bytes of an HDF5 file that moves on as values are read.
  struct HDF5Cursor {
    let bytes: HDF5Bytes
    /// The address of the next byte.
    private(set) var offset: Int
    /// Where the structure ends.
    let end: Int
    private let what: String

    init(bytes: HDF5Bytes, offset: Int, end: Int, what: String) {
      self.bytes = bytes
      self.offset = offset
      self.end = end
      self.what = what
    }

    /// The bytes that are left.
    var left: Int { end - offset }

    /// The next bytes as they are.
    mutating func raw(_ length: Int) throws(HDF5Fault) -> UnsafeRawBufferPointer {
      guard length >= 0, length <= left else {
        throw .damaged("\(what) ends too early", at: offset)
      }
      let raw = try bytes.bytes(offset, length, what)
      offset += length
      return raw
    }

    /// Passes over bytes.
    mutating func skip(_ length: Int) throws(HDF5Fault) {
      guard length >= 0, length <= left else {
        throw .damaged("\(what) ends too early", at: offset)
      }
      offset += length
    }

    /// The next `size` bytes as a little-endian number.
    mutating func unsigned(_ size: Int) throws(HDF5Fault) -> UInt64 {
      try raw(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
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
  }
#endif
