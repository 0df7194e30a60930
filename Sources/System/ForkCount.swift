import Synchronization

/// Counts the forks that led to this process, which does not have the threads of its parent.
package enum ForkCount {
  private static let count = Atomic<Int>(0)
  private static let isWatching: Bool = {
    pthread_atfork(nil, nil) { ForkCount.count.add(1, ordering: .relaxed) } == 0
  }()

  /// The number of forks between this process and the one of the first access.
  package static var current: Int {
    _ = isWatching
    return count.load(ordering: .relaxed)
  }
}
