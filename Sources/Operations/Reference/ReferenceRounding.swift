import ForgeShapes

/// What a network loses in Float32: every result is rounded, kernels may be off by the last bit,
/// and algorithms that add the pixels of an image to each other disturb all pixels alike.
///
/// `Verification` compares a plan with such a reference where it differs from the one in double
/// precision.
package struct ReferenceRounding: Sendable {
  /// Whether results are moved, and not only rounded.
  private let disturbs: Bool
  /// The operations, by their index in the graph, whose results may be off by a share of the root
  /// mean square of a channel over the whole image.
  private let shared: Set<Int>
  /// That share.
  private let share: Double
  private var random: SplitMix64

  /// Rounds results to the nearest Float32.
  package init() {
    (disturbs, shared, share) = (false, [], 0)
    random = SplitMix64(seed: 0)
  }

  /// Rounds results after moving them by what kernels may be off.
  ///
  /// - Parameters:
  ///   - shared: the operations, by their index in the graph, whose pixels share an error.
  ///   - share: that error, relative to the root mean square of a channel.
  ///   - seed: the seed of the moves.
  package init(disturbing shared: Set<Int>, by share: Double, seed: UInt64) {
    (disturbs, self.shared, self.share) = (true, shared, share)
    random = SplitMix64(seed: seed)
  }

  /// Rounds the result of an operation on its first operand.
  mutating func round(
    _ tensor: inout ReferenceTensor, of primitive: Primitive, at node: Int,
    operand: ReferenceTensor?
  ) {
    guard disturbs else { return round(&tensor) }
    if shared.contains(node) { disturb(&tensor) }
    if primitive.losesBitsOfElements, let operand, operand.count == tensor.count {
      return round(&tensor, function: operand.values)
    }
    primitive.isRoundedCorrectly ? round(&tensor) : move(&tensor)
  }

  /// Rounds the results of a function of each element.
  ///
  /// Some functions subtract from numbers as large as their argument, so the last bit of the
  /// argument is lost. Results that are exact in Float32 stay as they are.
  mutating func round(_ tensor: inout ReferenceTensor, function arguments: [Double]) {
    if disturbs {
      for index in tensor.values.indices where !Self.isExact(tensor.values[index]) {
        let bit = 0x1p-24 * abs(arguments[index])
        if bit.isFinite { tensor.values[index] += random.next() & 1 == 0 ? bit : -bit }
      }
    }
    disturbs ? move(&tensor) : round(&tensor)
  }

  /// Rounds values to the nearest Float32; what is beyond its range becomes infinite.
  func round(_ tensor: inout ReferenceTensor) {
    for index in tensor.values.indices {
      tensor.values[index] = Double(Float(tensor.values[index]))
    }
  }

  /// Rounds values that are not exact in Float32 to the nearest one, or to one of its neighbors.
  private mutating func move(_ tensor: inout ReferenceTensor) {
    for index in tensor.values.indices where !Self.isExact(tensor.values[index]) {
      let value = Float(tensor.values[index])
      let moved =
        switch random.next() % 3 {
        case 0: value.nextUp
        case 1: value.nextDown
        default: value
        }
      tensor.values[index] = Double(moved)
    }
  }

  private static func isExact(_ value: Double) -> Bool {
    !value.isFinite || Double(Float(value)) == value
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

extension Primitive {
  /// Whether every plan rounds its results to the nearest Float32.
  fileprivate var isRoundedCorrectly: Bool {
    guard case .binary(let operation) = self else { return false }
    return [.add, .subtract, .multiply, .divide].contains(operation)
  }

  /// Whether it may subtract from numbers as large as the element, so the last bit of the
  /// element is lost.
  fileprivate var losesBitsOfElements: Bool {
    switch self {
    case .activation, .unary, .softmax(logarithm: true): true
    default: false
    }
  }
}
