import CForgeSound
import Forge

extension Array where Element == Int16 {
  /// The samples as floats: `y = x · scale`.
  ///
  /// - Parameter scale: 1/32768 by default, so that full scale is −1 to just below 1.
  /// - Returns: a float for each sample.
  public func floats(scale: Float = 1 / 32768) -> [Float] {
    Memory.filled(count) { out in
      withUnsafeBufferPointer { samples in
        guard let from = samples.baseAddress else { return }
        forge_widen(SoundLevel.current, from, Int64(count), scale, out)
      }
    }
  }
}

extension Array where Element == Float {
  /// The samples without their signs: `y = |x|`.
  public func absolute() -> [Float] { mapped(FORGE_MAP_ABSOLUTE) }

  /// The samples within a range: `y = min(max(x, lower), upper)`.
  ///
  /// NaN stays NaN.
  ///
  /// - Parameter range: the bounds.
  /// - Returns: a number for each sample.
  public func clipped(to range: ClosedRange<Float>) -> [Float] {
    mapped(FORGE_MAP_CLIP, range.lowerBound, range.upperBound)
  }

  /// Silence in place of quiet samples: `y = 0` where `|x| < threshold`, else `x`.
  ///
  /// Each sample is judged alone; ``NoiseGate`` follows the loudness of a sound.
  ///
  /// - Parameter threshold: the least magnitude that stays.
  /// - Returns: a number for each sample. NaN stays NaN.
  public func gated(below threshold: Float) -> [Float] { mapped(FORGE_MAP_GATE, threshold) }

  /// The samples in decibels, of amplitudes: `y = max(20 · log₁₀(|x| / reference), floor)`.
  ///
  /// ```swift
  /// try [1, 0.5, -0.1, 0].decibels(floor: -60)  // 0, −6.02, −20, −60
  /// ```
  ///
  /// - Parameters:
  ///   - reference: the amplitude of 0 dB.
  ///   - floor: the least result; that of silence.
  /// - Returns: a number for each sample. NaN stays NaN.
  /// - Throws: ``AudioError`` when the reference is not a finite number above 0, or the floor is
  ///   not a finite number.
  public func decibels(reference: Float = 1, floor: Float = -100) throws(AudioError) -> [Float] {
    try decibels(20, FORGE_MAP_LOG_SOUND, reference, floor)
  }

  /// Powers in decibels: `y = max(10 · log₁₀(x / reference), floor)`.
  ///
  /// - Parameters:
  ///   - reference: the power of 0 dB.
  ///   - floor: the least result; that of numbers of 0 and below.
  /// - Returns: a number for each one. NaN stays NaN.
  /// - Throws: ``AudioError`` as ``decibels(reference:floor:)``.
  public func powerDecibels(reference: Float = 1, floor: Float = -100) throws(AudioError) -> [Float]
  {
    try decibels(10, FORGE_MAP_LOG_FLOOR, reference, floor)
  }

  private func decibels(
    _ factor: Double, _ kind: forge_map_kind, _ reference: Float, _ floor: Float
  ) throws(AudioError) -> [Float] {
    guard reference > 0, reference.isFinite else {
      throw .badArgument("the reference", reference, needs: "a finite number above 0")
    }
    guard floor.isFinite else {
      throw .badArgument("the floor", floor, needs: "a finite number of decibels")
    }
    let scale = factor / Numbers.log(10)
    // A number below every result that counts, and not 0, whose logarithm is infinite.
    let lowest = Float(Double(reference) * Numbers.power(10, Double(floor) / factor))
    let least = Swift.min(Swift.max(lowest, .leastNormalMagnitude), .greatestFiniteMagnitude)
    let values = mapped(
      kind, Float(scale), least, Float(-scale * Numbers.log(Double(reference))))
    return values.mapped(FORGE_MAP_LEAST, floor)
  }

  /// The mean of the channels of interleaved samples, for each frame.
  ///
  /// - Parameter channels: the samples of a frame.
  /// - Returns: a sample for each frame.
  /// - Throws: ``AudioError`` when there is no channel, or the samples do not fill the last frame.
  public func mono(channels: Int) throws(AudioError) -> [Float] {
    guard channels >= 1 else { throw .badArgument("the channels", channels, needs: "at least 1") }
    guard count.isMultiple(of: channels) else { throw .unevenSamples(count, channels: channels) }
    return channels == 1 ? self : Sound.mono(self, channels: channels)
  }

  /// The largest magnitude, 0 if there are no samples; NaN if a sample is.
  public func peak() -> Float {
    withUnsafeBufferPointer { samples in
      guard let from = samples.baseAddress else { return 0 }
      return forge_peak(SoundLevel.current, false, from, Int64(count))
    }
  }

  /// The root of the mean of squares, summed in double precision; 0 if there are no samples.
  public func rms() -> Float {
    withUnsafeBufferPointer { samples in
      guard let from = samples.baseAddress, count > 0 else { return 0 }
      let sum = forge_sum(
        SoundLevel.current, Int32(FORGE_SUM_SQUARES.rawValue), from, Int64(count))
      return Float((sum / Double(count)).squareRoot())
    }
  }

  func mapped(
    _ kind: forge_map_kind, _ a: Float = 0, _ b: Float = 0, _ c: Float = 0
  ) -> [Float] {
    Memory.filled(count) { out in
      withUnsafeBufferPointer { samples in
        guard let from = samples.baseAddress else { return }
        forge_map(
          SoundLevel.current, Int32(kind.rawValue), from, Int64(count), a, b, c, out)
      }
    }
  }
}
