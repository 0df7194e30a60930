import CForgeSound

/// What is made of the powers of a spectrum or of its bands.
public enum SpectrumScale: Hashable, Sendable {
  /// The numbers as they are.
  case linear
  /// `ln(x + offset)`, as torchaudio's `log_mels` with 10⁻⁶.
  case logarithm(offset: Float = 1e-6)
  /// `ln(max(x, least))`.
  case clampedLogarithm(least: Float = 1e-10)
  /// `10 · log₁₀(max(x, least)) − 10 · log₁₀(max(reference, least))`, then at least the largest
  /// number minus `range`: librosa's `power_to_db`, torchaudio's `AmplitudeToDB("power")`.
  case decibels(reference: Float = 1, least: Float = 1e-10, range: Float? = nil)
  /// `(max(log₁₀(max(x, 10⁻¹⁰)), largest − 8) + 4) / 4`, as Whisper takes it.
  case whisper

  /// The elementwise part as C computes it: a function and its arguments.
  var map: (kind: Int32, a: Float, b: Float, c: Float) {
    let (factor, least, offset) = line
    return switch self {
    case .linear: (-1, 0, 0, 0)
    case .logarithm(let added): (Int32(FORGE_MAP_LOG.rawValue), 1, added, 0)
    default: (Int32(FORGE_MAP_LOG_FLOOR.rawValue), factor, least, offset)
    }
  }

  /// `factor · ln(max(x, least)) + offset`.
  var line: (factor: Float, least: Float, offset: Float) {
    switch self {
    case .linear, .logarithm: (1, 0, 0)
    case .clampedLogarithm(let least): (1, least, 0)
    case .decibels(let reference, let least, _):
      (
        Float(10 / Numbers.log(10)), least,
        Float(-10 * Numbers.log10(Double(max(reference, least))))
      )
    case .whisper: (Float(1 / Numbers.log(10)), 1e-10, 0)
    }
  }

  /// How far below the largest number others may be, and what follows: `y · scale + shift`.
  var limit: (range: Float, scale: Float, shift: Float)? {
    switch self {
    case .decibels(_, _, let range?): (range, 1, 0)
    case .whisper: (8, 0.25, 1)
    default: nil
    }
  }

  /// What is out of range.
  var problem: (name: String, value: String, needs: String)? {
    func positive(_ name: String, _ value: Float) -> (String, String, String)? {
      value > 0 && value.isFinite ? nil : (name, "\(value)", "a finite number above 0")
    }
    switch self {
    case .linear, .whisper: return nil
    case .logarithm(let offset):
      return offset >= 0 && offset.isFinite
        ? nil : ("the offset of the logarithm", "\(offset)", "a finite number of at least 0")
    case .clampedLogarithm(let least): return positive("the least power", least)
    case .decibels(let reference, let least, let range):
      return positive("the reference", reference) ?? positive("the least power", least)
        ?? range.flatMap { positive("the range", $0) }
    }
  }

  /// Limits numbers below the largest, in place.
  func limit(_ values: inout [Float]) {
    guard let (range, scale, shift) = limit, !values.isEmpty else { return }
    let level = SoundLevel.current
    values.withUnsafeMutableBufferPointer { values in
      guard let base = values.baseAddress else { return }
      let count = Int64(values.count)
      let largest = forge_peak(level, true, base, count)
      forge_map(level, Int32(FORGE_MAP_LEAST.rawValue), base, count, largest - range, 0, 0, base)
      if scale != 1 {
        forge_map(level, Int32(FORGE_MAP_AFFINE.rawValue), base, count, scale, shift, 0, base)
      }
    }
  }
}
