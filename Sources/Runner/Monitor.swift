import ForgeSystem

/// State protected by a lock, with a condition variable.
///
/// It uses a pthread mutex, which ThreadSanitizer supports. `Synchronization.Mutex` is in a library
/// without instrumentation.
///
/// `@unchecked Sendable`: the state is only accessed under the lock.
final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    self.state = state
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state.
  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` until it returns `true`, waiting for a signal in between.
  ///
  /// Each call has exclusive access to the state; `hasWaited` is `false` only for the first one.
  func wait(until body: (inout State, _ hasWaited: Bool) -> Bool) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var hasWaited = false
    // Each iteration is a separate access, because other threads change the state during a wait.
    while !body(&state, hasWaited) {
      pthread_cond_wait(condition, mutex)
      hasWaited = true
    }
  }

  /// Wakes one waiting thread.
  func signal() { pthread_cond_signal(condition) }

  /// Wakes all waiting threads.
  func broadcast() { pthread_cond_broadcast(condition) }
}
