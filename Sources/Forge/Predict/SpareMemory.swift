import ForgeOperations
import Synchronization

/// The memory of one prediction kept for the next; taking it transfers ownership.
///
/// An atomic exchange transfers it, so no thread waits for another, and a child of `fork` finds
/// either the memory or none. Memory that a thread of the parent had taken leaks in the child,
/// where that thread does not exist.
struct SpareMemory: ~Copyable, Sendable {
  /// The bit pattern of a retained reference, or 0.
  private let kept = Atomic<UInt>(0)

  deinit { Self.owned(kept.load(ordering: .acquiring))?.release() }

  /// Takes the memory, which the caller then owns; `nil` when another thread has it.
  func take() -> ReusableMemory? {
    Self.owned(kept.exchange(0, ordering: .acquiring))?.takeRetainedValue()
  }

  /// Replaces the kept memory.
  func put(_ memory: ReusableMemory) {
    let bits = UInt(bitPattern: Unmanaged.passRetained(memory).toOpaque())
    Self.owned(kept.exchange(bits, ordering: .acquiringAndReleasing))?.release()
  }

  private static func owned(_ bits: UInt) -> Unmanaged<ReusableMemory>? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
  }
}
