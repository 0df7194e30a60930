import CForgeSound

/// What a bar of a level display shows of its samples.
public enum BarValue: String, Hashable, Sendable, CaseIterable {
  /// The mean of the samples as they are; of magnitudes, take `absolute()` first.
  case mean
  /// The largest sample; of magnitudes, take `absolute()` first.
  case max
  /// The root of the mean of squares.
  case rms
}

extension Array where Element == Float {
  /// The samples as `count` bars: one number for each of as many equal parts.
  ///
  /// Bar `i` covers the samples ⌊i · n / count⌋ up to ⌊(i + 1) · n / count⌋ of `n`, at least one;
  /// if there are fewer samples than bars, neighbors show the same sample.
  ///
  /// ```swift
  /// let voice = try Sound(contentsOf: "message.wav").mono()
  /// let bars = try voice.samples.absolute().bars(40, of: .max)
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of bars, 1 to 2²⁴.
  ///   - value: what a bar shows.
  /// - Returns: `count` numbers; zeros if there are no samples. A NaN among the samples makes its
  ///   bar NaN.
  /// - Throws: ``AudioError`` when the count is out of range.
  public func bars(_ count: Int, of value: BarValue = .rms) throws(AudioError) -> [Float] {
    guard 1...1 << 24 ~= count else {
      throw .badArgument("the number of bars", count, needs: "1 to \(1 << 24)")
    }
    guard !isEmpty else { return [Float](repeating: 0, count: count) }
    let level = SoundLevel.current
    return withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return [] }
      return (0..<count).map { bar in
        // The product of two sizes below 2⁴⁰ and 2²⁴ may not fit.
        let start = Self.share(bar, of: self.count, in: count)
        let end = Swift.max(Self.share(bar + 1, of: self.count, in: count), start + 1)
        let part = Int64(end - start)
        switch value {
        case .mean:
          let sum = forge_sum(level, Int32(FORGE_SUM_PLAIN.rawValue), base + start, part)
          return Float(sum / Double(part))
        case .max: return forge_peak(level, true, base + start, part)
        case .rms:
          let sum = forge_sum(level, Int32(FORGE_SUM_SQUARES.rawValue), base + start, part)
          return Float((sum / Double(part)).squareRoot())
        }
      }
    }
  }

  /// ⌊part · total / parts⌋ without overflow.
  private static func share(_ part: Int, of total: Int, in parts: Int) -> Int {
    total / parts * part + total % parts * part / parts
  }
}
