import Synchronization

/// One prediction's memory kept for the next: whoever takes it out owns it.
///
/// An atomic exchange hands it over, so that no thread waits for another, and a child of `fork` finds either the
/// memory or none. What a thread of its parent had taken out stays with that thread's copy, which never runs.
struct SpareMemory: ~Copyable, Sendable {
  /// The bit pattern of a retained reference, or 0.
  private let kept = Atomic<UInt>(0)

  deinit { Self.owned(kept.load(ordering: .acquiring))?.release() }

  /// The memory, which is then the caller's; `nil` when another has it.
  func take() -> PredictionMemory? {
    Self.owned(kept.exchange(0, ordering: .acquiring))?.takeRetainedValue()
  }

  /// Keeps memory in the place of what was kept: the last sizes are the likeliest next.
  func put(_ memory: PredictionMemory) {
    let bits = UInt(bitPattern: Unmanaged.passRetained(memory).toOpaque())
    Self.owned(kept.exchange(bits, ordering: .acquiringAndReleasing))?.release()
  }

  private static func owned(_ bits: UInt) -> Unmanaged<PredictionMemory>? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
  }
}
