#if HDF5
  import CForgeHDF5
  import Synchronization

  /// The one place where libhdf5 is called: the values of a dataset that was looked over before.
  enum HDF5Library {
    /// The library is not safe with threads, and keeps its settings in one place for all.
    private static let lock = Mutex(())

    /// Reads a whole dataset into `values`, which has room for exactly it.
    static func read(
      _ path: String, entry: String, sizes: [Int], elementByteCount: Int,
      into values: UnsafeMutableRawBufferPointer
    ) throws(LoadError) {
      let reason: String? = lock.withLock { _ in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { reason in
          let done = reason.withMemoryRebound(to: CChar.self) { text in
            forge_hdf5_read(
              path, entry, elementByteCount, Int32(sizes.count), sizes.map { UInt64($0) },
              values.baseAddress, text.baseAddress, text.count)
          }
          return done != 0 ? nil : String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)
        }
      }
      if let reason { throw .libraryFailed(path, entry: entry, reason) }
    }
  }
#endif
