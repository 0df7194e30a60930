#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Locks and `fork`.
//
// A child of `fork` has one thread, the one that called it. A lock that another thread held stays locked in the child
// for good, and what it guards may be half changed. `Synchronization.Mutex` is worse: on Linux it is a futex that
// names its owner by a thread id which the Swift library caches per thread, so that in a child a lock which two
// threads want ends the process even though nobody held it at the fork.
//
// So there is one lock for all such state of the process, and `fork` takes it: a handler of `pthread_atfork` locks it
// before the process is copied, and both processes go on with it free. A fork therefore falls between two turns of
// `withLock`, never into one, and the child finds every value as the last turn left it. The price is that all turns
// of a process exclude each other. They are short, none waits for anything or calls a user's code, and no prediction
// of known size takes one: its plan is a constant of the model, and its memory is taken and given back by an atomic
// exchange.
//
// - The lock is recursive, because what a turn lets go of may take another turn in its `deinit`.
// - A child makes the lock anew: a recursive one names its owner by the id of a thread, which the child's is not.
// - The C library locks `malloc` after these handlers, so that a turn may allocate.
// - What a thread of the parent was about to do is not done in the child. State that says that somebody is at work
//   therefore says in which process: ``ForkCount``.
// - `_Fork` and the bare system call run no handlers. Their children may call what is safe in signal handlers alone.
// - The Swift runtime takes locks of its own when a type or a global is used for the first time.
//   Docs/Concurrency.md says what that means for a process that forks.

/// A value that several threads change in turns, and that a child of `fork` finds free and whole.
///
/// `@unchecked Sendable`: the value is reached under the lock only.
package final class ForkSafe<Value>: @unchecked Sendable {
  private var value: Value

  /// Guards a value.
  package init(_ value: sending Value) { self.value = value }

  /// Runs `body` with the value to itself.
  ///
  /// Whatever it does must be short: all turns of the process, and `fork`, wait for it.
  ///
  /// - Parameter body: reads or changes the value; it may take turns at other values.
  /// - Returns: what `body` returns.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    ForkLock.lock()
    defer { ForkLock.unlock() }
    return try body(&value)
  }
}

/// The lock that `fork` takes.
private enum ForkLock {
  // It is reached by pointer only, and lives as long as the process.
  private nonisolated(unsafe) static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    ForkLock.initialize(mutex)
    // Refused when there is no memory for it. A fork is then as safe as it is without handlers.
    _ = pthread_atfork(
      { ForkLock.lock() }, { ForkLock.unlock() }, { ForkLock.initialize(ForkLock.mutex) })
    return mutex
  }()

  private static func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  static func lock() { pthread_mutex_lock(mutex) }

  static func unlock() { pthread_mutex_unlock(mutex) }
}
