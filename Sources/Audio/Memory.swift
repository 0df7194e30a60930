import CForgeSound
import ForgeSystem

/// Memory for arrays, whose allocation traps on failure.
enum Memory {
  /// Throws unless an array of this many floats can be allocated.
  static func check(floats count: Int) throws(AudioError) {
    let byteCount = count.multipliedSaturated(by: MemoryLayout<Float>.stride)
    // Small arrays come from memory that the process already has.
    if byteCount >= 1 << 20, (try? MemoryProbe.check(byteCount: byteCount)) == nil {
      throw .outOfMemory(byteCount: byteCount)
    }
  }

  /// An array of `count` floats that `fill` writes.
  static func floats(
    _ count: Int, _ fill: (UnsafeMutablePointer<Float>) -> Void
  ) throws(AudioError) -> [Float] {
    try check(floats: count)
    return filled(count, fill)
  }

  /// An array of `count` floats that `fill` writes; one that is as large as another in memory.
  static func filled(_ count: Int, _ fill: (UnsafeMutablePointer<Float>) -> Void) -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let base = buffer.baseAddress, count > 0 { fill(base) }
      initialized = count
    }
  }
}

/// The instructions that the kernels use; results have the same bits with any.
package enum SoundLevel {
  /// The level that a test asks for.
  @TaskLocal package static var forced: forge_level?

  private static let best = forge_best_level()

  /// The level in use.
  static var current: forge_level { forced ?? best }
}
