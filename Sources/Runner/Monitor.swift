import ForgeSystem

/// State behind a lock, with a condition variable.
///
/// It uses a pthread mutex, which ThreadSanitizer understands. The futex of `Synchronization.Mutex`
/// is in a library without instrumentation.
///
/// `@unchecked Sendable`: the state is only accessed under the lock.
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

  /// Runs `body` with exclusive access to the state.
  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` until it returns a value, waiting for a signal in between.
  ///
  /// Each time `body` has exclusive access to the state; it is told whether it runs after a wait.
  func wait<Result>(until body: (inout State, _ hasWaited: Bool) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var hasWaited = false
    while true {
      // A separate access per iteration: others change the state while this thread waits.
      if let result = body(&state, hasWaited) { return result }
      pthread_cond_wait(condition, mutex)
      hasWaited = true
    }
  }

  /// Wakes one waiting thread.
  func signal() { pthread_cond_signal(condition) }

  /// Wakes all waiting threads.
  func broadcast() { pthread_cond_broadcast(condition) }
}
