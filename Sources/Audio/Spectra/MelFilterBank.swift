/// A scale of frequencies that follows hearing.
public enum MelScale: String, Hashable, Sendable, CaseIterable {
  /// Linear up to 1000 Hz, logarithmic above: librosa's default, of Slaney's Auditory Toolbox.
  case slaney
  /// `2595 · log₁₀(1 + f / 700)`: torchaudio's default, of the HTK toolkit.
  case htk

  /// The place of a frequency on the scale.
  ///
  /// - Parameter hertz: the frequency.
  /// - Returns: the mels.
  public func mels(_ hertz: Double) -> Double {
    switch self {
    case .htk: 2595 * Numbers.log10(1 + hertz / 700)
    case .slaney:
      hertz < 1000
        ? hertz * 3 / 200 : 15 + Numbers.log(hertz / 1000) * 27 / Numbers.log(6.4)
    }
  }

  /// The frequency at a place of the scale.
  ///
  /// - Parameter mels: the place.
  /// - Returns: the hertz.
  public func hertz(_ mels: Double) -> Double {
    switch self {
    case .htk: 700 * (Numbers.power(10, mels / 2595) - 1)
    case .slaney:
      mels < 15 ? mels * 200 / 3 : 1000 * Numbers.exp((mels - 15) * Numbers.log(6.4) / 27)
    }
  }
}

/// How the bands of a mel filter bank are scaled.
public enum MelNormalization: String, Hashable, Sendable, CaseIterable {
  /// Each triangle has the area 1: it is divided by half its width in hertz.
  case slaney
  /// Each triangle has the height 1.
  case none
}

/// Triangles over the bins of a spectrum, even on the mel scale.
///
/// With the edges `e` of `count + 2` points that are even on the scale, band `b` weighs the
/// frequency `f` with `max(0, min((f − e(b)) / (e(b+1) − e(b)), (e(b+2) − f) / (e(b+2) −
/// e(b+1))))`, times `2 / (e(b+2) − e(b))` with ``MelNormalization/slaney``. Bin `k` of a transform
/// of `size` samples has the frequency `k · rate / size`. This is `librosa.filters.mel`, and for
/// even sizes `torchaudio.functional.melscale_fbanks`.
public struct MelFilterBank: Hashable, Sendable {
  /// The number of bands.
  public var count: Int
  /// The samples per second.
  public var rate: Int
  /// The lowest frequency, in hertz.
  public var lowest: Double
  /// The highest frequency, in hertz; `nil` for half the rate.
  public var highest: Double?
  /// The scale.
  public var scale: MelScale
  /// How the bands are scaled.
  public var normalization: MelNormalization

  /// Creates a filter bank; its numbers are checked where it is used.
  ///
  /// - Parameters:
  ///   - count: the number of bands, 1 to 4096.
  ///   - rate: the samples per second.
  ///   - lowest: the lowest frequency, in hertz.
  ///   - highest: the highest frequency, in hertz; `nil` for half the rate.
  ///   - scale: the scale.
  ///   - normalization: how the bands are scaled.
  public init(
    count: Int, rate: Int, lowest: Double = 0, highest: Double? = nil, scale: MelScale = .slaney,
    normalization: MelNormalization = .slaney
  ) {
    self.count = count
    self.rate = rate
    self.lowest = lowest
    self.highest = highest
    self.scale = scale
    self.normalization = normalization
  }

  /// The weights of all bands.
  ///
  /// - Parameter size: the samples of a frame.
  /// - Returns: `count` rows of ⌊size / 2⌋ + 1 weights.
  /// - Throws: ``AudioError`` when a number is out of range.
  public func weights(size: Int) throws(AudioError) -> [Float] {
    try check()
    try STFT.check(size: size)
    try Memory.check(floats: 2 * count * (size / 2 + 1))
    return bands(size: size).flatMap { band in
      var row = [Float](repeating: 0, count: size / 2 + 1)
      for (index, weight) in band.weights.enumerated() { row[band.first + index] = weight }
      return row
    }
  }

  func check() throws(AudioError) {
    if let problem { throw .badArgument(problem.name, problem.value, needs: problem.needs) }
  }

  /// What is out of range.
  var problem: (name: String, value: String, needs: String)? {
    let most = highest ?? Double(rate) / 2
    if !(1...4096 ~= count) { return ("the number of bands", "\(count)", "1 to 4096") }
    if rate < 1 { return ("the rate", "\(rate)", "at least 1") }
    if !(lowest >= 0 && lowest < most && most <= Double(rate)) {
      return (
        "the range of the bands", "\(lowest) to \(most) Hz",
        "0 or more to a higher frequency, at most the rate"
      )
    }
    return nil
  }

  /// The bins of each band whose weights are not 0.
  func bands(size: Int) -> [(first: Int, weights: [Float])] {
    let (low, high) = (scale.mels(lowest), scale.mels(highest ?? Double(rate) / 2))
    let edges = (0..<count + 2).map { edge in
      scale.hertz(low + (high - low) * Double(edge) / Double(count + 1))
    }
    let bins = size / 2 + 1
    return (0..<count).map { band in
      let (from, top, to) = (edges[band], edges[band + 1], edges[band + 2])
      let factor = normalization == .slaney ? 2 / (to - from) : 1
      let width = Double(rate) / Double(size)
      let first = min(max(Int((from / width).rounded(.down)), 0), bins)
      let last = min(max(Int((to / width).rounded(.up)), first), bins - 1)
      var weights: [Float] = []
      var start = first
      for bin in first..<max(last + 1, first) {
        let hertz = Double(bin) * width
        let weight = min((hertz - from) / (top - from), (to - hertz) / (to - top))
        guard weight > 0 else {
          if weights.isEmpty { start = bin + 1 }
          continue
        }
        weights.append(Float(weight * factor))
      }
      return (weights.isEmpty ? 0 : start, weights)
    }
  }
}
