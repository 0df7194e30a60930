import Synchronization

/// Tracks the peak memory of reading and packing parameters.
final class LoadingMemory: Sendable {
  private let kept = Atomic(0)
  private let most = Atomic(0)

  /// The most bytes held at once.
  var peak: Int { most.load(ordering: .relaxed) }

  /// Records bytes that are held briefly in addition to all that is kept.
  func hold(_ count: Int) {
    most.max(kept.load(ordering: .relaxed) + count, ordering: .relaxed)
  }

  /// Adds bytes that are held until they are released.
  func keep(_ count: Int) {
    most.max(kept.add(count, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Subtracts bytes that were kept.
  func release(_ count: Int) {
    kept.subtract(count, ordering: .relaxed)
  }
}
