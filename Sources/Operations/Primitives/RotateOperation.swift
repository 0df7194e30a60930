import ForgeShapes

/// Which channels of a head turn together.
public struct RotationRule: Hashable, Sendable, Encodable {
  /// The other channel of each of the rotated ones, which are the first of a head.
  public enum Pairs: Hashable, Sendable, Encodable {
    /// Channel `i` of the first half and channel `i` of the second one.
    case halves
    /// Channels `2i` and `2i + 1`.
    case neighbors
  }

  /// The number of heads.
  public let heads: Int
  /// The pairs.
  public let pairs: Pairs
  /// Whether the cosines and sines are tables [positions][rotated channels], and the last operand
  /// is the position of the image's first column in them.
  public let hasPosition: Bool

  /// Creates a rule.
  public init(heads: Int, pairs: Pairs, hasPosition: Bool = false) {
    (self.heads, self.pairs, self.hasPosition) = (heads, pairs, hasPosition)
  }

  /// The other channel of a rotated channel's pair, and the sign of the sine.
  package func partner(of channel: Int, rotated: Int) -> (channel: Int, sign: Int) {
    switch pairs {
    case .halves:
      let half = rotated / 2
      return channel < half ? (channel + half, -1) : (channel - half, 1)
    case .neighbors:
      return channel.isMultiple(of: 2) ? (channel + 1, -1) : (channel - 1, 1)
    }
  }
}

/// A rotation of pairs of each head's channels.
///
/// For the first `d` channels of a head, the rotated ones, and the partner `p` of channel `c`:
/// `y(t, h, c) = cos(t, c) · x(t, h, c) ± sin(t, c) · x(t, h, p)`, minus for the first of a pair.
/// The other channels stay.
///
/// Operands: the image [rows][columns][heads · channels]; the cosines and the sines, which are
/// images [rows or 1][columns][d]. With a position they are tables [positions][d], the image has
/// one row, and the last operand is the position [1] of its first column. A position that leaves no
/// room for all columns becomes the last one that does.
///
/// Source: Su and others, RoFormer, 2021.
package struct RotateOperation: PrimitiveOperation {
  let rule: RotationRule

  package var name: String { "rotate" }
  package var traits: OperationTraits {
    let count = rule.hasPosition ? 4 : 3
    return .unweighted(
      count...count, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(rule.heads, "heads")
    let width = try ArgumentRule.channels(of: operands[0])
    guard width.isMultiple(of: rule.heads) else {
      throw ShapeError(
        .channelsNotDivisible, "the heads do not divide the channels",
        received: "\(width) channels", needs: "a multiple of \(rule.heads)")
    }
    for (index, factors) in operands.enumerated().dropFirst().prefix(2) {
      if rule.hasPosition {
        try TableRule.check(factors, image: operands[0], position: operands[3])
      } else {
        let needed = operands[0].dimensions
        guard factors.rank == 3, Self.fits(factors.dimensions[1], needed[1]),
          factors.dimensions[0] == 1 || Self.fits(factors.dimensions[0], needed[0])
        else {
          throw operandSize(
            index, factors, needs: "the image's columns, and its rows or one")
        }
      }
      guard factors == operands[1] else {
        throw operandSize(index, factors, needs: "the sizes of the cosines")
      }
      guard let rotated = factors.dimensions.last ?? nil, rotated <= width / rule.heads,
        rotated.isMultiple(of: 2)
      else {
        throw operandSize(
          index, factors,
          needs: "an even number of channels up to the head's \(width / rule.heads)")
      }
    }
  }

  private static func fits(_ size: Int?, _ needed: Int?) -> Bool {
    size == nil || needed == nil || size == needed
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (image, cosines, sines) = (call.operands[0], call.operands[1], call.operands[2])
    let (channels, rotated) = (image.sizes[2] / rule.heads, cosines.sizes[cosines.sizes.count - 1])
    let start =
      rule.hasPosition
      ? ExactRule.position(call.operands[3].values[0], last: cosines.sizes[0] - call.output[1]) : 0
    return ReferenceTensor(call.output) { position in
      let value = image.values[image.offset(of: position)]
      let (head, channel) = position[2].quotientAndRemainder(dividingBy: channels)
      guard channel < rotated else { return value }
      let (other, sign) = rule.partner(of: channel, rotated: rotated)
      let partner = image.values[
        image.offset(of: [position[0], position[1], head * channels + other])]
      let row = cosines.sizes[0] == 1 ? 0 : position[0]
      let turn =
        rule.hasPosition ? [start + position[1], channel] : [row, position[1], channel]
      return cosines.values[cosines.offset(of: turn)] * value
        + Double(sign) * sines.values[sines.offset(of: turn)] * partner
    }
  }
}
