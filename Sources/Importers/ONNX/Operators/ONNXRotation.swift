import Forge

/// Reads the inputs and attributes of `RotaryEmbedding`.
///
/// Pairs of a head's channels turn by angles whose cosines and sines are inputs, a number for each
/// pair. The heads stay side by side in an image.
struct ONNXRotation {
  private let input: ONNXHeads
  private let isSeparate: Bool
  /// The number of rotated channels of each head.
  private let rotated: Int
  /// Whether channels `2i` and `2i + 1` are a pair, else `i` and `i` + half of them.
  private let isInterleaved: Bool

  init(_ call: ONNXCall) throws {
    try call.refuseIntegers()
    let node = call.node
    let file = try call.network(0)
    isSeparate = file.rank == 4
    let heads = node.int("num_heads")
    input = try ONNXHeads(file, heads: heads == 0 ? nil : heads, "X")
    let stated = node.int("rotary_embedding_dim")
    rotated = stated == 0 ? input.channels : stated
    guard rotated > 0, rotated <= input.channels, rotated.isMultiple(of: 2) else {
      throw NodeFailure.invalid("\(rotated) rotated channels of \(input.channels)")
    }
    isInterleaved = node.int("interleaved") != 0
  }

  func run(_ call: inout ONNXCall) throws {
    try ONNXCall.checkConstant([rotated], limit: 1 << 20)
    let pairs = (0..<rotated).map { isInterleaved ? $0 / 2 : $0 % (rotated / 2) }
    let factors = try [try table(&call, 1), try table(&call, 2)].map {
      try call.apply(Gather(indices: pairs, axis: 2), to: $0)
    }
    let rotation = Rotation(
      rule: RotationRule(heads: input.heads, pairs: isInterleaved ? .neighbors : .halves))
    let result = try ONNXHeads(
      try call.apply(rotation, to: input.tensor, factors[0], factors[1]), like: input)
    call.set(isSeparate ? try result.separate() : result.joined)
  }

  /// A table of cosines or sines: [rows][positions][pairs].
  private func table(_ call: inout ONNXCall, _ index: Int) throws -> Tensor {
    try call.refuseIntegers(index)
    let cache = try call.value(index)
    var sizes = cache.sizes
    var tensor = try ONNXCall.plain(cache)
    if call.has(3) {
      let places = try call.value(3)
      guard sizes.count == 2, places.sizes.count == 2 else {
        throw NodeFailure.invalid("a table of \(sizes) for positions of \(places.sizes)")
      }
      tensor = try call.apply(GatherRows(axis: 0), to: tensor, try ONNXCall.plain(places))
      sizes = places.sizes + [sizes[1]]
    }
    guard sizes.count == 3, [1, input.rows].contains(sizes[0]), sizes[1] == input.positions,
      sizes[2] == rotated / 2
    else { throw NodeFailure.invalid("a table of \(sizes) for \(rotated) rotated channels") }
    return tensor
  }
}

/// An image of heads, rotated by the cosines and sines that are its other inputs.
private struct Rotation: Layer {
  static let summaryName = "Rotate"
  let rule: RotationRule

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.rotate(rule), to: lowering.inputs)
  }
}
