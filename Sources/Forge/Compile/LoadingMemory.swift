import Synchronization

/// Adds up the bytes that reading and packing parameters hold at once.
final class LoadingMemory: Sendable {
  private struct Bytes {
    var kept = 0
    var peak = 0
  }

  private let bytes = Mutex(Bytes())

  /// The most bytes that were held at once.
  var peak: Int { bytes.withLock { $0.peak } }

  /// Bytes are held for a moment beside all that is kept.
  func hold(_ count: Int) {
    bytes.withLock { $0.peak = max($0.peak, $0.kept + count) }
  }

  /// Bytes are held from now on.
  func keep(_ count: Int) {
    bytes.withLock {
      $0.kept += count
      $0.peak = max($0.peak, $0.kept)
    }
  }

  /// Bytes that were kept are not held any more.
  func release(_ count: Int) {
    bytes.withLock { $0.kept -= count }
  }
}
