/// A filter of libhdf5 that was applied to chunks before they were stored.
enum HDF5Filter: Int, Sendable {
  case deflate = 1
  case shuffle = 2
  case fletcher32 = 3

  /// The maximum compression ratio of deflate.
  fileprivate static let maximumRatio = 1032

  /// Reads the filters of a dataset, in the order they were applied.
  static func list(
    _ cursor: inout ByteCursor, elementByteCount: Int
  ) throws(LoadError) -> [HDF5Filter] {
    let version = try cursor.byte()
    let count = try cursor.byte()
    guard version == 1 || version == 2 else {
      throw .unsupportedHDF5("version \(version) of filters")
    }
    if version == 1 { try cursor.skip(6) }
    var filters: [HDF5Filter] = []
    for _ in 0..<count {
      let kind = try cursor.integer(2)
      let nameLength = version == 1 || kind >= 256 ? try cursor.integer(2) : 0
      try cursor.skip(2)
      let values = try cursor.integer(2)
      try cursor.skip(version == 1 ? (nameLength + 7) / 8 * 8 : nameLength)
      let first = values > 0 ? try cursor.integer(4) : 0
      try cursor.skip(max(values - 1, 0) * 4)
      if version == 1, values % 2 == 1 { try cursor.skip(4) }
      guard let filter = HDF5Filter(rawValue: kind) else {
        throw .unsupportedHDF5("the compression or filter \(kind)")
      }
      guard !filters.contains(filter) else { throw .unsupportedHDF5("the same filter twice") }
      if filter == .shuffle, first != elementByteCount {
        throw .damaged(
          "values of \(LoadError.bytes(first)) shuffled where they have \(elementByteCount)")
      }
      filters.append(filter)
    }
    return filters
  }
}

extension [HDF5Filter] {
  /// The filters of a chunk, without those skipped by its mask.
  func applied(_ mask: Int) -> [HDF5Filter] {
    enumerated().filter { mask >> $0.offset & 1 == 0 }.map(\.element)
  }

  /// Throws unless `stored` bytes can decode to a chunk of `byteCount` bytes.
  ///
  /// Checked before memory is allocated for the size that the file claims.
  func check(stored: Int, byteCount: Int, mask: Int, at address: Int) throws(LoadError) {
    guard mask >> count == 0 else {
      throw .damaged("a chunk leaves out filters that do not exist", at: address)
    }
    let applied = applied(mask)
    if applied.contains(.deflate) {
      guard byteCount / HDF5Filter.maximumRatio <= stored else {
        throw .damaged(
          "\(LoadError.bytes(stored)) cannot hold a chunk of \(byteCount)", at: address)
      }
    } else {
      let needed = byteCount + (applied.contains(.fletcher32) ? 4 : 0)
      guard stored == needed else {
        throw .damaged("a chunk has \(LoadError.bytes(stored)) and needs \(needed)", at: address)
      }
    }
  }
}
