import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How often this process has come out of a fork: its threads are then gone.
package enum ForkCount {
  private static let count = Atomic<Int>(0)
  private static let isWatching: Bool = {
    pthread_atfork(nil, nil) { ForkCount.count.add(1, ordering: .relaxed) } == 0
  }()

  /// The forks between the first process and this one since somebody first asked.
  package static var current: Int {
    _ = isWatching
    return count.load(ordering: .relaxed)
  }
}
