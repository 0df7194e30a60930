import ForgeOperations
import ForgeShapes

/// A rotation of pairs of a head's channels by angles that grow with the position.
///
/// Pair `i` of `d` rotated channels turns by `position · base^(−2i/d)`:
/// `a′ = a·cos − b·sin`, `b′ = b·cos + a·sin`.
///
/// Source: Su and others, RoFormer, 2021.
public enum RotaryEncoding: Hashable, Sendable {
  /// Channel `i` and `i + d/2` are pairs, as in Llama. `channels`, an even number, are the first
  /// ones of a head, which are rotated; all of them if `nil`.
  case halves(base: Float = 10_000, channels: Int? = nil)
  /// Channel `2i` and `2i + 1` are pairs, as in RoFormer.
  case neighbors(base: Float = 10_000, channels: Int? = nil)

  /// The base of the angles.
  var base: Float {
    switch self {
    case .halves(let base, _), .neighbors(let base, _): base
    }
  }

  /// The channels of a head that are rotated.
  func rotated(of channels: Int) throws(ShapeError) -> Int {
    try ArgumentRule.require(
      base.isFinite && base > 0, "base", "\(base)", needs: "a finite number above 0")
    let rotated: Int
    switch self {
    case .halves(_, let count), .neighbors(_, let count): rotated = count ?? channels
    }
    try ArgumentRule.require(
      rotated > 0 && rotated <= channels && rotated.isMultiple(of: 2), "channels", "\(rotated)",
      needs: "an even number from 2 to the head's \(channels)")
    return rotated
  }

  /// Which channels are pairs.
  var pairs: RotationRule.Pairs {
    switch self {
    case .halves: .halves
    case .neighbors: .neighbors
    }
  }

  /// The pair that a rotated channel belongs to.
  func pair(of channel: Int, rotated: Int) -> Int {
    switch self {
    case .halves: channel % (rotated / 2)
    case .neighbors: channel / 2
    }
  }
}

/// Rotates images by their positions; those of equal sizes share the cosines and sines.
struct RotaryTables {
  private struct Size: Hashable {
    let length, channels: Int
  }

  private let rule: RotaryEncoding
  private let position: StreamPosition?
  private var tables: [Size: [Lowering.Value]] = [:]

  /// Positions from 0, or those of a part of a stream.
  init(_ rule: RotaryEncoding, at position: StreamPosition? = nil) {
    (self.rule, self.position) = (rule, position)
  }

  /// An image [rows][positions][heads · channels], rotated.
  mutating func rotate(
    _ image: Lowering.Value, heads: Int, in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    try ArgumentRule.positive(heads, "heads")
    let shape = lowering.shape(of: image)
    let width = try ArgumentRule.lastAxis(of: shape)
    guard width.isMultiple(of: heads) else {
      throw ShapeError(
        .channelsNotDivisible, "the heads do not divide the channels",
        received: "\(width) channels", needs: "a multiple of \(heads)")
    }
    let length =
      if let position { position.limit } else {
        try ArgumentRule.known(shape, "a sequence of known length")[1]
      }
    let size = Size(length: length, channels: try rule.rotated(of: width / heads))
    let factors: [Lowering.Value]
    if let known = tables[size] {
      factors = known
    } else {
      factors = try make(size, in: &lowering)
      tables[size] = factors
    }
    let rotation = RotationRule(heads: heads, pairs: rule.pairs, hasPosition: position != nil)
    return try lowering.apply(
      .rotate(rotation), to: [image] + factors + (position.map { [$0.value] } ?? []))
  }

  /// The cosines and sines of each position and rotated channel.
  private func make(
    _ size: Size, in lowering: inout Lowering
  ) throws(ShapeError) -> [Lowering.Value] {
    guard let count = Shape.product(of: [size.length, size.channels]),
      count <= SizeRule.maximumConstantCount
    else { throw .tooManyElements() }
    var (cosines, sines) = ([Float](), [Float]())
    for position in 0..<size.length {
      for channel in 0..<size.channels {
        let turn = PositionRule.turn(
          position, pair: rule.pair(of: channel, rotated: size.channels), of: size.channels,
          base: rule.base)
        cosines.append(turn.cosine)
        sines.append(turn.sine)
      }
    }
    let sizes = (position == nil ? [1] : []) + [size.length, size.channels]
    var factors: [Lowering.Value] = []
    for values in [cosines, sines] {
      factors.append(try lowering.constant(values, shape: Shape(sizes: sizes)))
    }
    return factors
  }
}
