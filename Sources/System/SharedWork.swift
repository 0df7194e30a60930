import Synchronization

/// Work that the calling thread shares with others.
package enum SharedWork {
  /// Runs the same work on the calling thread and on others, and waits for all of them.
  ///
  /// The system may have fewer threads, so each run takes what is left to do until nothing is.
  package static func run(threads: Int, _ work: @escaping @Sendable () -> Void) {
    let others = (1..<max(threads, 1)).compactMap { _ in JoinedThread(work) }
    work()
    for thread in others { thread.join() }
  }

  /// Calls a body once for each part; a thread that has done one takes the next.
  package static func run(
    parts: Int, threads: Int, _ body: @escaping @Sendable (_ part: Int) -> Void
  ) {
    let counter = Counter()
    run(threads: min(threads, parts)) {
      while true {
        let part = counter.next.add(1, ordering: .relaxed).oldValue
        guard part < parts else { return }
        body(part)
      }
    }
  }

  private final class Counter: Sendable {
    let next = Atomic<Int>(0)
  }
}
