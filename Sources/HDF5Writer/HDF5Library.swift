internal import CForgeHDF5

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// libhdf5, which is not thread-safe: one call at a time in the whole process.
package enum HDF5Library {
  // It is used by pointer only and never freed. A fork waits for the end of a call, so that the
  // child has the library in a consistent state.
  private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    pthread_atfork(
      { pthread_mutex_lock(HDF5Library.mutex) }, { pthread_mutex_unlock(HDF5Library.mutex) },
      { pthread_mutex_unlock(HDF5Library.mutex) })
    return mutex
  }()

  /// Calls the library exclusively.
  ///
  /// - Parameter call: must not call this method.
  /// - Returns: what `call` returns.
  package static func exclusively<Value>(_ call: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return call()
  }

  /// Calls the library exclusively and without its messages; `nil` when it cannot start.
  static func quietly<Value>(_ call: () -> Value) -> Value? {
    exclusively {
      var settings = forge_hdf5_settings()
      guard forge_hdf5_begin(&settings) == 1 else { return nil }
      defer { forge_hdf5_end(&settings, nil, 0) }
      return call()
    }
  }
}
