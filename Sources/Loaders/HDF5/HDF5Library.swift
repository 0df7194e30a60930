import ForgeShapes
import Synchronization

#if HDF5
  import CForgeHDF5
#endif

/// libhdf5, for datasets of trusted files in forms of storage that Forge does not read itself.
///
/// It is never given a file that is not trusted: release 1.10.8, for one, crashes on one in two
/// hundred files in which a single byte was altered, and takes a compressed chunk that is too short
/// for a whole one, reading on in whatever memory lies behind it.
enum HDF5Library {
  /// The library is not safe with threads, and keeps its settings in one place for all.
  private static let lock = Mutex(())

  /// Whether the library may know what Forge does not.
  static func canRead(_ fault: HDF5Fault) -> Bool {
    #if HDF5
      if case .unsupported = fault { return true }
    #endif
    return false
  }

  /// Reads a whole dataset into `values`, which has room for exactly it.
  static func read(
    _ path: String, entry: String, sizes: [Int], elementType: ElementType,
    into values: UnsafeMutableRawBufferPointer
  ) throws(LoadError) {
    #if HDF5
      let reason: String? = lock.withLock { _ in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { reason in
          let done = forge_hdf5_read(
            path, entry, elementType.byteCount, Int32(sizes.count), sizes.map { UInt64($0) },
            values.baseAddress, reason.baseAddress, reason.count)
          if done != 0 { return nil }
          return String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
      }
      if let reason { throw .libraryFailed(path, entry: entry, reason) }
    #else
      throw .unsupportedHDF5(path, entry: entry, "a form of storage that needs libhdf5")
    #endif
  }
}
