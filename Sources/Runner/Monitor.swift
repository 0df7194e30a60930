#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// State behind a lock, with a condition to wait for.
///
/// A pthread mutex, because ThreadSanitizer understands it and not `Synchronization.Mutex`, whose
/// futex lies in a library without instrumentation.
///
/// `@unchecked Sendable`: the state is reached through the lock only, whatever it holds.
final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  init(_ state: State) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, nil)
    self.state = state
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deinitialize(count: 1).deallocate()
    mutex.deinitialize(count: 1).deallocate()
  }

  /// Runs `body` with the state to itself.
  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` until it gives something, and in between waits for somebody to signal.
  ///
  /// Each time `body` has the state to itself; it is told whether it runs after a wait.
  func wait<Result>(until body: (inout State, _ hasWaited: Bool) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var hasWaited = false
    while true {
      // Not one access around the loop: others change the state while this thread waits.
      if let result = body(&state, hasWaited) { return result }
      pthread_cond_wait(condition, mutex)
      hasWaited = true
    }
  }

  /// Wakes one who waits.
  func signal() { pthread_cond_signal(condition) }

  /// Wakes all who wait.
  func broadcast() { pthread_cond_broadcast(condition) }
}
