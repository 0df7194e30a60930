import Synchronization

/// Tracks the peak memory of reading and packing parameters.
package final class LoadingMemory: Sendable {
  private let kept = Atomic(0)
  private let most = Atomic(0)

  package init() {}

  /// The peak number of bytes.
  package var peak: Int { most.load(ordering: .relaxed) }

  /// Records bytes that are held temporarily in addition to all kept bytes.
  package func hold(_ count: Int) {
    most.max(kept.load(ordering: .relaxed) + count, ordering: .relaxed)
  }

  /// Adds bytes that are kept until they are released.
  package func keep(_ count: Int) {
    most.max(kept.add(count, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Subtracts bytes that were kept.
  package func release(_ count: Int) {
    kept.subtract(count, ordering: .relaxed)
  }
}
