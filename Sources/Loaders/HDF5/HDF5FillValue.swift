/// The value of elements of a dataset that were never written.
enum HDF5FillValue: Sendable {
  case zeros
  /// One value for all, in its stored form.
  case value([UInt8])
  /// No value.
  case none

  /// Reads the fill value from an object header.
  init(_ header: HDF5ObjectHeader, elementByteCount: Int) throws(LoadError) {
    if let message = header.first(.fillValue) {
      var cursor = try message.cursor("a fill value")
      self = try Self.read(&cursor)
    } else if let message = header.first(.oldFillValue) {
      var cursor = try message.cursor("a fill value")
      self = try Self.sized(&cursor)
    } else {
      self = .zeros
    }
    if case .value(let bytes) = self, bytes.count != elementByteCount {
      throw .damaged("a fill value of \(bytes.count) bytes for values of \(elementByteCount)")
    }
  }

  private static func read(_ cursor: inout ByteCursor) throws(LoadError) -> HDF5FillValue {
    let version = try cursor.byte()
    let writeTime: Int
    let isDefined: Bool
    var isUndefined = false
    switch version {
    case 1, 2:
      try cursor.skip(1)
      writeTime = try cursor.byte()
      isDefined = try cursor.byte() != 0
    case 3:
      let flags = try cursor.byte()
      writeTime = flags >> 2 & 3
      isUndefined = flags & 0x10 != 0
      isDefined = flags & 0x20 != 0
    default: throw .unsupportedHDF5("version \(version) of a fill value")
    }
    let never = 1
    guard !isUndefined, writeTime != never else { return .none }
    // An undefined value means zeros in version 3 and no value in older ones.
    guard isDefined else { return version == 3 ? .zeros : .none }
    return try sized(&cursor)
  }

  private static func sized(_ cursor: inout ByteCursor) throws(LoadError) -> HDF5FillValue {
    let start = cursor.offset
    // In older versions -1 means an undefined value.
    let size = try cursor.unsigned(4)
    guard size != UInt64(UInt32.max) else { return .none }
    guard size <= UInt64(cursor.left) else {
      throw .damaged("a fill value ends too early", at: start)
    }
    return size == 0 ? .zeros : .value(Array(try cursor.raw(Int(size))))
  }
}
