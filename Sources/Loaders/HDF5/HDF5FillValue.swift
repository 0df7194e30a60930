/// The fill value: the value of elements that were never written.
enum HDF5FillValue {
  /// The fill value in its stored form: empty for zeros, `nil` if there is none.
  static func read(
    _ header: HDF5ObjectHeader, elementByteCount: Int
  ) throws(LoadError) -> [UInt8]? {
    guard let message = header.first(.fillValue) ?? header.first(.oldFillValue) else { return [] }
    var cursor = try message.cursor("a fill value")
    if message.kind == .fillValue {
      let never = 1
      let version = try cursor.byte()
      switch version {
      case 1, 2:
        try cursor.skip(1)
        let writeTime = try cursor.byte()
        guard try cursor.byte() != 0, writeTime != never else { return nil }
      case 3:
        let flags = try cursor.byte()
        guard flags & 0x10 == 0, flags >> 2 & 3 != never else { return nil }
        // In this version, no defined value means zeros.
        if flags & 0x20 == 0 { return [] }
      default: throw .unsupportedHDF5("version \(version) of a fill value")
      }
    }
    let start = cursor
    let size = try cursor.integer(4)
    // In older versions, a size of -1 means an undefined value.
    guard size != Int(UInt32.max) else { return nil }
    guard size <= cursor.left else { throw start.damaged("a fill value ends too early") }
    guard size == 0 || size == elementByteCount else {
      throw .damaged("a fill value of \(LoadError.bytes(size)) for values of \(elementByteCount)")
    }
    return Array(try cursor.raw(size))
  }
}
