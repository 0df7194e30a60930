/// A thread that is waited for, with all signals blocked, so that the program's own threads handle
/// them.
package final class JoinedThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  #if canImport(Glibc)
    private var thread = pthread_t()
  #else
    private var thread: pthread_t?
  #endif

  /// Starts a thread; `nil` if the system has none.
  package init?(_ run: @escaping @Sendable () -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let body = Unmanaged.passRetained(Body(run))
    let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      $0.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
      return nil
    }
    guard pthread_create(&thread, nil, enter, body.toOpaque()) == 0 else {
      body.release()
      return nil
    }
  }

  /// Waits for the end of the thread.
  package func join() {
    #if canImport(Glibc)
      pthread_join(thread, nil)
    #else
      if let thread { pthread_join(thread, nil) }
    #endif
  }
}
