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

  /// Calls the library exclusively, without its messages and plugins.
  ///
  /// - Parameter call: must not call this method.
  /// - Returns: what `call` returns; `nil` when the library cannot start.
  package static func exclusively<Value>(_ call: () -> Value) -> Value? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard H5open() >= 0 else { return nil }
    let errors: hid_t = 0  // H5E_DEFAULT
    var printer: H5E_auto2_t?
    var printerData: UnsafeMutableRawPointer?
    var plugins: UInt32 = 0
    H5Eget_auto2(errors, &printer, &printerData)
    H5Eset_auto2(errors, nil, nil)
    H5PLget_loading_state(&plugins)
    H5PLset_loading_state(0)
    defer {
      H5PLset_loading_state(plugins)
      H5Eset_auto2(errors, printer, printerData)
    }
    return call()
  }
}
