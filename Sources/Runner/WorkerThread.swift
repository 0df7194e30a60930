import ForgeSystem

/// A detached thread in which signals are blocked: they are for the program's own threads.
package final class WorkerThread: Sendable {
  private let run: @Sendable () -> Void

  private init(_ run: @escaping @Sendable () -> Void) { self.run = run }

  /// Starts a thread.
  ///
  /// - Parameter run: the body of the thread.
  /// - Returns: whether the thread was created; the system may refuse.
  package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let context = Unmanaged.passRetained(WorkerThread(run)).toOpaque()
    let isStarted = create(context)
    if !isStarted { Unmanaged<WorkerThread>.fromOpaque(context).release() }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return isStarted
  }

  private static func create(_ context: UnsafeMutableRawPointer) -> Bool {
    #if canImport(Glibc)
      var thread = pthread_t()
      guard pthread_create(&thread, nil, enter, context) == 0 else { return false }
      pthread_detach(thread)
    #else
      var thread: pthread_t?
      guard pthread_create(&thread, nil, enter, context) == 0, let thread else { return false }
      pthread_detach(thread)
    #endif
    return true
  }

  #if canImport(Darwin)
    private typealias Context = UnsafeMutableRawPointer
  #else
    private typealias Context = UnsafeMutableRawPointer?
  #endif

  private static let enter: @convention(c) (Context) -> UnsafeMutableRawPointer? = { context in
    let context: UnsafeMutableRawPointer? = context
    if let context { Unmanaged<WorkerThread>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
}
