import ForgeShapes

/// What a network loses in Float32: every result is rounded, and algorithms that add the pixels of
/// an image to each other disturb all pixels alike.
///
/// `Verification` compares a plan with such a reference where it differs from the one in double
/// precision.
package struct ReferenceRounding: Sendable {
  /// The operations, by their index in the graph, whose results may be off by a share of the root
  /// mean square of a channel over the whole image.
  private let shared: Set<Int>
  /// That share; 0 if results are only rounded.
  private let share: Double
  private var random: SplitMix64

  /// Rounds results to the nearest Float32.
  package init() {
    (shared, share) = ([], 0)
    random = SplitMix64(seed: 0)
  }

  /// Rounds results, and disturbs those of some operations.
  ///
  /// - Parameters:
  ///   - shared: the operations, by their index in the graph, whose pixels share an error.
  ///   - share: the error, relative to the root mean square of a channel.
  ///   - seed: the seed of the signs.
  package init(disturbing shared: Set<Int>, by share: Double, seed: UInt64) {
    (self.shared, self.share) = (shared, share)
    random = SplitMix64(seed: seed)
  }

  /// Rounds the result of an operation, after disturbing it if its pixels share an error.
  mutating func round(_ tensor: inout ReferenceTensor, ofNode node: Int) {
    if share > 0, shared.contains(node) { disturb(&tensor) }
    round(&tensor)
  }

  /// Rounds values to the nearest Float32; what is beyond its range becomes infinite.
  func round(_ tensor: inout ReferenceTensor) {
    for index in tensor.values.indices {
      tensor.values[index] = Double(Float(tensor.values[index]))
    }
  }

  /// Adds the share of each channel's root mean square to its pixels, or takes it off.
  private mutating func disturb(_ tensor: inout ReferenceTensor) {
    let channels = tensor.lastSize
    guard channels > 0 else { return }
    let pixels = tensor.count / channels
    for channel in 0..<channels {
      var squares = 0.0
      for pixel in 0..<pixels {
        let value = tensor.values[pixel * channels + channel]
        if value.isFinite { squares += value * value }
      }
      let step = share * (squares / Double(max(pixels, 1))).squareRoot()
      for pixel in 0..<pixels {
        tensor.values[pixel * channels + channel] += random.next() & 1 == 0 ? step : -step
      }
    }
  }
}
