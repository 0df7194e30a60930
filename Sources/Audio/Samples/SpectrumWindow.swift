/// The weights of the samples of a frame.
///
/// With `N` samples, a periodic window divides by `n = N`, for spectra; a symmetric one by
/// `n = N − 1`, for filters. Sample `i` has
///
/// - Hann: `½ − ½ cos(2πi / n)`
/// - Hamming: `0.54 − 0.46 cos(2πi / n)`
/// - Blackman: `0.42 − ½ cos(2πi / n) + 0.08 cos(4πi / n)`
///
/// as in SciPy's `get_window`, librosa and PyTorch. A window of one sample is 1.
public struct SpectrumWindow: Hashable, Sendable {
  /// The kinds of windows.
  public enum Shape: String, Hashable, Sendable, CaseIterable {
    /// One everywhere.
    case rectangular
    /// `½ − ½ cos`.
    case hann
    /// `0.54 − 0.46 cos`.
    case hamming
    /// `0.42 − ½ cos + 0.08 cos`.
    case blackman
  }

  /// The kind.
  public let shape: Shape
  /// Whether the first and the last sample are equal.
  public let isSymmetric: Bool

  private init(_ shape: Shape, _ isSymmetric: Bool) {
    self.shape = shape
    self.isSymmetric = isSymmetric
  }

  /// One everywhere.
  public static let rectangular = SpectrumWindow(.rectangular, false)
  /// Hann's window, periodic.
  public static let hann = SpectrumWindow(.hann, false)
  /// Hamming's window, periodic.
  public static let hamming = SpectrumWindow(.hamming, false)
  /// Blackman's window, periodic.
  public static let blackman = SpectrumWindow(.blackman, false)

  /// The same window with equal ends.
  public var symmetric: SpectrumWindow { SpectrumWindow(shape, true) }

  /// The weights.
  ///
  /// - Parameter count: the number of samples, 1 to 2²⁸.
  /// - Returns: a weight for each sample.
  /// - Throws: ``AudioError`` when the count is out of range.
  public func weights(_ count: Int) throws(AudioError) -> [Float] {
    try Self.check(count)
    try Memory.check(floats: 4 * count)
    return exactWeights(count).map { Float($0) }
  }

  static func check(_ count: Int) throws(AudioError) {
    guard 1...1 << 28 ~= count else {
      throw .badArgument("the length of the window", count, needs: "1 to \(1 << 28) samples")
    }
  }

  /// The weights in double precision, of a length that has been checked.
  func exactWeights(_ count: Int) -> [Double] {
    guard count > 1 else { return [1] }
    let period = isSymmetric ? count - 1 : count
    return (0..<count).map { index in
      let c = Numbers.turn(index, of: period).0
      let twice = Numbers.turn(2 * index, of: period).0
      return switch shape {
      case .rectangular: 1
      case .hann: 0.5 - 0.5 * c
      case .hamming: 0.54 - 0.46 * c
      case .blackman: 0.42 - 0.5 * c + 0.08 * twice
      }
    }
  }
}

extension Array where Element == Float {
  /// The samples cut into frames, which overlap if the hop is shorter than a frame.
  ///
  /// Frame `f` has the samples `f · hop ..< f · hop + size`, times the window. What does not fill a
  /// frame is left out.
  ///
  /// - Parameters:
  ///   - size: the samples of a frame, at least 1.
  ///   - hop: the samples from frame to frame, at least 1.
  ///   - window: the weights.
  /// - Returns: the frames one after the other, `size` numbers each: ⌊(n − size) / hop⌋ + 1 of
  ///   them, or none.
  /// - Throws: ``AudioError`` when size or hop is out of range, or there is not enough memory.
  public func frames(
    of size: Int, hop: Int, window: SpectrumWindow = .rectangular
  ) throws(AudioError) -> [Float] {
    guard hop >= 1 else { throw .badArgument("the hop", hop, needs: "at least 1 sample") }
    try SpectrumWindow.check(size)
    guard count >= size else { return [] }
    let weights = try window.weights(size)
    let frames = (count - size) / hop + 1
    let total = frames.multipliedSaturated(by: size)
    return try Memory.floats(total) { out in
      for frame in 0..<frames {
        for index in 0..<size {
          out[frame * size + index] = self[frame * hop + index] * weights[index]
        }
      }
    }
  }
}
