#if HDF5
  /// What was done to each chunk before it was stored.
  struct HDF5Filters: Sendable {
    /// The filters that every libhdf5 undoes by itself.
    enum Filter: Int, Sendable {
      case deflate = 1
      case shuffle = 2
      case fletcher32 = 3
    }

    /// The filters in the order they were applied.
    let filters: [Filter]

    /// No filters.
    init() {
      filters = []
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

    /// Whether a chunk was compressed.
    func deflates(_ mask: Int) -> Bool { applied(mask).contains(.deflate) }

    /// Throws unless a compressed chunk gives exactly its bytes.
    ///
    /// libhdf5 does not ask: it copies a whole chunk out of whatever the stream gave, and reads on
    /// in the memory behind one that is too short (1.10.8, seen with valgrind).
    ///
    /// - Parameters:
    ///   - stored: the chunk as it is in the file.
    ///   - byteCount: the bytes of a chunk.
    ///   - scratch: room for four bytes more than that.
    ///   - mask: the filters this chunk leaves out.
    ///   - address: where the chunk is, for messages.
    /// - Throws: when it gives more, less, or something that is not what was compressed.
    func checkDeflated(
      _ stored: UnsafeRawBufferPointer, byteCount: Int, scratch: UnsafeMutableRawBufferPointer,
      mask: Int, at address: Int
    ) throws(HDF5Fault) {
      let applied = applied(mask)
      guard let place = applied.firstIndex(of: .deflate) else { return }
      // A checksum put on before the compression comes out of it again, one put on after stands
      // behind.
      let before = applied[..<place].contains(.fletcher32) ? 4 : 0
      let behind = applied[place...].contains(.fletcher32) ? 4 : 0
      guard stored.count >= behind,
        Inflate.zlib(
          UnsafeRawBufferPointer(rebasing: stored[..<(stored.count - behind)]),
          into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<(byteCount + before)]))
      else { throw .damaged("a compressed chunk is not what it should be", at: address) }
    }
  }
#endif
