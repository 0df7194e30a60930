import Synchronization

/// Adds up the bytes that reading and packing parameters hold at once.
final class LoadingMemory: Sendable {
  private let kept = Atomic(0)
  private let most = Atomic(0)

  /// The most bytes that were held at once.
  var peak: Int { most.load(ordering: .relaxed) }

  /// Bytes are held for a moment beside all that is kept.
  func hold(_ count: Int) {
    most.max(kept.load(ordering: .relaxed) + count, ordering: .relaxed)
  }

  /// Bytes are held from now on.
  func keep(_ count: Int) {
    most.max(kept.add(count, ordering: .relaxed).newValue, ordering: .relaxed)
  }

  /// Bytes that were kept are not held any more.
  func release(_ count: Int) {
    kept.subtract(count, ordering: .relaxed)
  }
}
