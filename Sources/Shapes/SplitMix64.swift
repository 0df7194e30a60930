/// A small random number generator that is deterministic for a seed, on every run and machine.
///
/// This is the generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
/// (2014), with one addition and a finalizer per number. It suits test parameters and inputs, but
/// not cryptography.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  @inlinable
  package init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  @inlinable
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// The next number in −1 ..< 1.
  package mutating func nextSymmetric() -> Float { Float(next() >> 40) * 0x1p-23 - 1 }
}
