// Locks and `fork`.
//
// A child of `fork` has one thread, the one that called it. A lock that another thread held stays
// locked in the child forever, and the state it guards may be half changed. `Synchronization.Mutex`
// is worse. On Linux it is a futex that identifies its owner by a thread id, which the Swift
// library caches per thread. In a child, contention for such a lock therefore terminates the
// process even if no thread held it at the fork.
//
// All such state of the process therefore shares one lock, and `fork` takes it. A handler of
// `pthread_atfork` locks it before the process is copied, and both processes continue with it
// unlocked. A fork therefore never happens inside a call of `withLock`, and the child finds every
// value as the last call left it. The cost is that all calls in a process exclude each other. They
// are short, and none blocks or calls user code. No prediction of known size makes one: its plan is
// a constant of the model, and an atomic exchange takes and returns its memory.
//
// - The lock is recursive, because releasing a value under it may call `withLock` in a `deinit`.
// - A child reinitializes the lock: a recursive lock identifies its owner by thread id, and the
//   thread of the child has another one.
// - The C library locks `malloc` after these handlers, so code under the lock may allocate.
// - A child does not continue work of the parent's other threads. State that marks work in progress
//   therefore records the process: ``ForkCount``.
// - `_Fork` and the bare system call run no handlers. Their children may only call
//   async-signal-safe functions.
// - The Swift runtime takes its own locks when a type or a global is used for the first time.
//   Docs/Concurrency.md explains the consequences for a process that forks.

/// A value behind a lock that remains usable in a child of `fork`.
///
/// `@unchecked Sendable`: the value is only accessed under the lock.
package final class ForkSafe<Value>: @unchecked Sendable {
  private var value: Value

  /// Creates a guarded value.
  package init(_ value: sending Value) { self.value = value }

  /// Runs `body` with exclusive access to the value.
  ///
  /// The body must be short: all other calls in the process, and `fork`, wait for it.
  ///
  /// - Parameter body: reads or changes the value; it may access other guarded values.
  /// - Returns: what `body` returns.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    ForkLock.lock()
    defer { ForkLock.unlock() }
    return try body(&value)
  }
}

/// The lock that `fork` takes.
private enum ForkLock {
  // The mutex is accessed only through the pointer and never freed.
  private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    ForkLock.initialize(mutex)
    // Registration fails if memory is insufficient. A fork is then as safe as without handlers.
    _ = pthread_atfork(
      { ForkLock.lock() }, { ForkLock.unlock() }, { ForkLock.initialize(ForkLock.mutex) })
    return mutex
  }()

  private static func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  static func lock() { pthread_mutex_lock(mutex) }

  static func unlock() { pthread_mutex_unlock(mutex) }
}
