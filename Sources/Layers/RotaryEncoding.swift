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
  case neighbours(base: Float = 10_000, channels: Int? = nil)

  /// The base of the angles.
  var base: Float {
    switch self {
    case .halves(let base, _), .neighbours(let base, _): base
    }
  }

  /// The channels of a head that are rotated.
  func rotated(of channels: Int) throws(ShapeError) -> Int {
    try ArgumentRule.require(
      base.isFinite && base > 0, "base", "\(base)", needs: "a finite number above 0")
    let rotated: Int
    switch self {
    case .halves(_, let own), .neighbours(_, let own): rotated = own ?? channels
    }
    try ArgumentRule.require(
      rotated > 0 && rotated <= channels && rotated.isMultiple(of: 2), "channels", "\(rotated)",
      needs: "an even number from 2 to the head's \(channels)")
    return rotated
  }

  /// The other channel of each channel's pair, the index of the pair, and the sine's sign.
  func partner(_ channel: Int, of rotated: Int) -> (channel: Int, pair: Int, sign: Float) {
    let half = rotated / 2
    switch self {
    case .halves:
      let isFirst = channel < half
      return (isFirst ? channel + half : channel - half, channel % half, isFirst ? -1 : 1)
    case .neighbours:
      let isFirst = channel.isMultiple(of: 2)
      return (isFirst ? channel + 1 : channel - 1, channel / 2, isFirst ? -1 : 1)
    }
  }
}

extension Lowering {
  /// An image [rows][positions][heads · channels], rotated; a part of a stream by its positions
  /// in the stream.
  mutating func rotate(
    _ image: Value, _ rule: RotaryEncoding, heads: Int, at position: StreamPosition? = nil
  ) throws(ShapeError) -> Value {
    try ArgumentRule.positive(heads, "heads")
    let shape = shape(of: image)
    let width = try ArgumentRule.lastAxis(of: shape)
    guard width.isMultiple(of: heads) else {
      throw ShapeError(
        .channelsNotDivisible, "the heads do not divide the channels",
        received: "\(width) channels", needs: "a multiple of \(heads)")
    }
    let channels = width / heads
    let rotated = try rule.rotated(of: channels)
    // The table of a stream has the channels of one head, which are repeated.
    let length =
      if let position { position.limit } else {
        try ArgumentRule.known(shape, "a sequence of known length")[1]
      }
    let copies = position == nil ? heads : 1
    let tableWidth = copies * channels
    guard let count = Shape.product(of: [length, tableWidth]),
      count <= SizeRule.maximumConstantCount
    else { throw .tooManyElements() }
    var order = Array(0..<width)
    var cosines = [Float](repeating: 1, count: count)
    var sines = [Float](repeating: 0, count: count)
    for channel in 0..<rotated {
      let partner = rule.partner(channel, of: rotated)
      for head in 0..<heads { order[head * channels + channel] = head * channels + partner.channel }
      for position in 0..<length {
        let turn = PositionRule.turn(
          position, pair: partner.pair, of: rotated, base: rule.base)
        for head in 0..<copies {
          let place = position * tableWidth + head * channels + channel
          cosines[place] = turn.cosine
          sines[place] = partner.sign * turn.sine
        }
      }
    }
    var tables: [Value] = []
    for factor in [cosines, sines] {
      if let position {
        let table = try constant(factor, shape: Shape(sizes: [length, channels]))
        tables.append(
          try apply(.rowsFrom(repeats: heads), to: [table, image, position.value]))
      } else {
        tables.append(try constant(factor, shape: Shape(sizes: [1, length, width])))
      }
    }
    let straight = try apply(.binary(.multiply), to: [image, tables[0]])
    let swapped = try apply(.gatherChannels(order), to: [image])
    let crossed = try apply(.binary(.multiply), to: [swapped, tables[1]])
    return try apply(.binary(.add), to: [straight, crossed])
  }
}
