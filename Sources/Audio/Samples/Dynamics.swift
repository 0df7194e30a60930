/// How a gate or a limiter follows the loudness of a sound.
///
/// The envelope is `e(t) = max(|x(t)|, e(t − 1) · r)`: it rises at once and falls to 1/e, 37
/// percent, within the release time. A NaN counts as silence here.
struct LevelEnvelope: Hashable, Sendable {
  private let factor: Float
  private var level: Float = 0

  init(release: Double, rate: Int) {
    factor = release > 0 ? Float(Numbers.exp(-1 / (release * Double(rate)))) : 0
  }

  mutating func next(_ sample: Float) -> Float {
    let magnitude = abs(sample)
    let decayed = level * factor
    level = magnitude > decayed ? magnitude : decayed
    // An infinite sample must not keep the envelope up for all that follows.
    if level == .infinity {
      level = 0
      return .infinity
    }
    return level
  }
}

/// Silences what is quieter than a threshold, such as noise between words.
///
/// Sample by sample, with the envelope `e` of the sound that falls within `release`:
///
/// - the gate is open while `e ≥ threshold`;
/// - the gain moves to 1 within `attack` when it opens and to 0 within `release` when it closes:
///   `g(t) = g(t − 1) + (target − g(t − 1)) · (1 − exp(−1 / (time · rate)))`;
/// - `y = x · g`.
///
/// A sound may be processed in parts of any size; the result has the same bits.
///
/// ```swift
/// var gate = try NoiseGate(threshold: 0.01, rate: 16000)
/// for part in parts { play(gate.process(part)) }
/// ```
public struct NoiseGate: Hashable, Sendable {
  /// The least amplitude that passes.
  public let threshold: Float
  private var envelope: LevelEnvelope
  private let opening: Float
  private let closing: Float
  private var gain: Float = 0

  /// Creates a gate, which is closed.
  ///
  /// - Parameters:
  ///   - threshold: the least amplitude that passes, 0 or more.
  ///   - attack: the seconds within which the gate opens; 0 for at once.
  ///   - release: the seconds within which it closes; 0 for at once.
  ///   - rate: the samples per second.
  /// - Throws: ``AudioError`` when a number is negative or not finite, or the rate is below 1.
  public init(
    threshold: Float, attack: Double = 0.001, release: Double = 0.1, rate: Int
  ) throws(AudioError) {
    try Dynamics.check(threshold, "the threshold", least: 0)
    try Dynamics.check(attack, release, rate)
    self.threshold = threshold
    envelope = LevelEnvelope(release: release, rate: rate)
    opening = Dynamics.step(attack, rate)
    closing = Dynamics.step(release, rate)
  }

  /// The samples that follow, through the gate.
  ///
  /// - Parameter samples: one channel.
  /// - Returns: as many samples.
  public mutating func process(_ samples: [Float]) -> [Float] {
    samples.map { sample in
      let isOpen = envelope.next(sample) >= threshold
      gain += isOpen ? (1 - gain) * opening : -gain * closing
      return sample * gain
    }
  }
}

/// Keeps a sound below a ceiling without cutting off its waves.
///
/// Sample by sample, with the envelope `e` of the sound, which rises at once and falls to 37
/// percent within `release`: `y = x · min(1, ceiling / e)`. As `e ≥ |x|`, no sample exceeds the
/// ceiling.
///
/// A sound may be processed in parts of any size; the result has the same bits.
///
/// ```swift
/// var limiter = try Limiter(ceiling: 0.9, rate: 48000)
/// let quieter = limiter.process(samples)
/// ```
public struct Limiter: Hashable, Sendable {
  /// The most that a sample may be.
  public let ceiling: Float
  private var envelope: LevelEnvelope

  /// Creates a limiter.
  ///
  /// - Parameters:
  ///   - ceiling: the most that a sample may be, above 0.
  ///   - release: the seconds within which the gain returns after a loud sample.
  ///   - rate: the samples per second.
  /// - Throws: ``AudioError`` when a number is out of range or not finite.
  public init(ceiling: Float, release: Double = 0.05, rate: Int) throws(AudioError) {
    try Dynamics.check(ceiling, "the ceiling", least: .leastNormalMagnitude)
    try Dynamics.check(0, release, rate)
    self.ceiling = ceiling
    envelope = LevelEnvelope(release: release, rate: rate)
  }

  /// The samples that follow, limited.
  ///
  /// - Parameter samples: one channel.
  /// - Returns: as many samples. An infinite sample becomes the ceiling; NaN stays NaN.
  public mutating func process(_ samples: [Float]) -> [Float] {
    samples.map { sample in
      let level = envelope.next(sample)
      guard level > ceiling else { return sample }
      // Rounding may exceed the ceiling by a unit in the last place.
      let limited = level == .infinity ? sample : sample * (ceiling / level)
      return limited > ceiling ? ceiling : limited < -ceiling ? -ceiling : limited
    }
  }
}

/// What gates and limiters share.
enum Dynamics {
  static func check(_ value: Float, _ name: String, least: Float) throws(AudioError) {
    guard value >= least, value.isFinite else {
      throw .badArgument(
        name, value, needs: "a finite number\(least > 0 ? " above" : " of at least") 0")
    }
  }

  static func check(_ attack: Double, _ release: Double, _ rate: Int) throws(AudioError) {
    for (name, time) in [("the attack", attack), ("the release", release)] {
      guard time >= 0, time.isFinite else {
        throw .badArgument(name, time, needs: "a finite number of seconds")
      }
    }
    guard rate >= 1 else { throw .badArgument("the rate", rate, needs: "at least 1") }
  }

  /// The share of the way that a gain goes with one sample.
  static func step(_ time: Double, _ rate: Int) -> Float {
    time > 0 ? Float(1 - Numbers.exp(-1 / (time * Double(rate)))) : 1
  }
}
