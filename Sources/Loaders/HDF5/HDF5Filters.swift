/// What was done to each chunk before it was stored.
struct HDF5Filters: Sendable {
  /// The filters Forge undoes.
  enum Filter: Int, Sendable {
    case deflate = 1
    case shuffle = 2
    case fletcher32 = 3
  }

  /// The filters in the order they were applied.
  let filters: [Filter]
  private let elementByteCount: Int

  /// No filters.
  init() {
    filters = []
    elementByteCount = 1
  }

  /// Reads a filter message.
  init(_ cursor: inout HDF5Cursor, elementByteCount: Int) throws(HDF5Fault) {
    let version = try cursor.byte()
    let count = try cursor.byte()
    guard version == 1 || version == 2 else {
      throw .unsupported("version \(version) of filters")
    }
    if version == 1 { try cursor.skip(6) }
    var filters: [Filter] = []
    for _ in 0..<count {
      let kind = try cursor.integer(2)
      let nameLength = version == 1 || kind >= 256 ? try cursor.integer(2) : 0
      try cursor.skip(2)
      let values = try cursor.integer(2)
      try cursor.skip(version == 1 ? (nameLength + 7) / 8 * 8 : nameLength)
      let first = values > 0 ? try cursor.integer(4) : 0
      try cursor.skip(max(values - 1, 0) * 4)
      if version == 1, values % 2 == 1 { try cursor.skip(4) }
      guard let filter = Filter(rawValue: kind) else {
        throw .unsupported("the compression or filter \(kind)")
      }
      guard !filters.contains(filter) else { throw .unsupported("the same filter twice") }
      if filter == .shuffle, first != elementByteCount {
        throw .damaged("values of \(first) bytes shuffled where they have \(elementByteCount)")
      }
      filters.append(filter)
    }
    self.filters = filters
    self.elementByteCount = elementByteCount
  }

  /// The largest ratio of deflate.
  private static let maximumRatio = 1032

  /// Throws unless `stored` bytes can give a chunk of `byteCount` bytes.
  ///
  /// Memory is taken by what a file says only once the file is seen to hold enough for it.
  func check(stored: Int, byteCount: Int, mask: Int, at address: Int) throws(HDF5Fault) {
    guard mask >> filters.count == 0 else {
      throw .damaged("a chunk leaves out filters there are not", at: address)
    }
    let applied = applied(mask)
    if applied.contains(.deflate) {
      guard byteCount / Self.maximumRatio <= stored else {
        throw .damaged("\(stored) bytes cannot hold a chunk of \(byteCount)", at: address)
      }
    } else {
      let needed = byteCount + (applied.contains(.fletcher32) ? 4 : 0)
      guard stored == needed else {
        throw .damaged("a chunk has \(stored) bytes and needs \(needed)", at: address)
      }
    }
  }

  /// The filters of a chunk that does not leave them out.
  private func applied(_ mask: Int) -> [Filter] {
    filters.enumerated().filter { mask >> $0.offset & 1 == 0 }.map(\.element)
  }

  /// Undoes the filters of one chunk.
  ///
  /// - Parameters:
  ///   - stored: the chunk as it is in the file.
  ///   - output: receives the values; exactly the chunk's bytes.
  ///   - scratch: as large as `output` and four bytes more.
  ///   - mask: the filters this chunk leaves out.
  ///   - address: where the chunk is, for messages.
  func undo(
    _ stored: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    scratch: UnsafeMutableRawBufferPointer, mask: Int, at address: Int
  ) throws(HDF5Fault) {
    let applied = applied(mask)
    var current = stored
    for (index, filter) in applied.enumerated().reversed() {
      switch filter {
      case .fletcher32: current = try Self.checked(current, at: address)
      case .deflate:
        // A checksum made before the compression comes out of it again.
        let extra = applied[..<index].contains(.fletcher32) ? 4 : 0
        let target = UnsafeMutableRawBufferPointer(rebasing: scratch[..<(output.count + extra)])
        guard Inflate.zlib(current, into: target) else {
          throw .damaged("a compressed chunk is not what it should be", at: address)
        }
        current = UnsafeRawBufferPointer(target)
      case .shuffle: break
      }
    }
    guard current.count == output.count else {
      throw .damaged("a chunk of the wrong size", at: address)
    }
    if applied.contains(.shuffle) {
      unshuffle(current, into: output)
    } else {
      output.copyMemory(from: current)
    }
  }

  /// The bytes before the checksum at the end, once it is found right.
  private static func checked(
    _ bytes: UnsafeRawBufferPointer, at address: Int
  ) throws(HDF5Fault) -> UnsafeRawBufferPointer {
    guard bytes.count >= 4 else { throw .damaged("a chunk of the wrong size", at: address) }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    let stored = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: body.count, as: UInt32.self))
    guard stored == HDF5Checksum.fletcher32(body) else {
      throw .damaged("the checksum of a chunk is wrong", at: address)
    }
    return body
  }

  /// First bytes, second bytes, … back to values; bytes that make no whole value stay at the end.
  private func unshuffle(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) {
    let count = bytes.count / elementByteCount
    for byte in 0..<elementByteCount {
      let plane = byte * count
      for index in 0..<count { output[index * elementByteCount + byte] = bytes[plane + index] }
    }
    for index in (count * elementByteCount)..<bytes.count { output[index] = bytes[index] }
  }
}
