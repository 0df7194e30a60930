import ForgeSystem

/// A detached thread with all signals blocked, so that the program's own threads handle them.
package final class WorkerThread: Sendable {
  private let run: @Sendable () -> Void

  private init(_ run: @escaping @Sendable () -> Void) { self.run = run }

  /// Starts a thread.
  ///
  /// - Parameter run: the body of the thread.
  /// - Returns: whether the system created the thread.
  package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let context = Unmanaged.passRetained(WorkerThread(run))
    guard pthread_create(&thread, nil, enter, context.toOpaque()) == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    {
      $0.map { Unmanaged<WorkerThread>.fromOpaque($0).takeRetainedValue().run() }
      return nil
    }
}
