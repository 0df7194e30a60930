import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The number of forks that led to this process, in which the threads of its parent are gone.
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
