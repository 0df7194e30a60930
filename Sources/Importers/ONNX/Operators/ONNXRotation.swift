import Forge

/// Reads the inputs and attributes of `RotaryEmbedding`.
///
/// Pairs of a head's channels turn by angles whose cosines and sines are inputs. Every channel is
/// the sum of itself times its cosine and of its partner times its sine, so that the heads stay
/// side by side in an image.
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
    let (cosines, sines) = (try table(&call, 1), try table(&call, 2))
    let half = rotated / 2
    try ONNXCall.checkConstant([input.heads, input.channels], limit: 1 << 20)
    // For each channel the pair that it belongs to, its partner, and the sign of the sine.
    var (pairs, partners) = ([Int](), [Int]())
    var (signs, isTurned) = ([Float](), [Float]())
    for head in 0..<input.heads {
      for channel in 0..<input.channels {
        let first = head * input.channels
        guard channel < rotated else {
          pairs.append(0)
          partners.append(first + channel)
          signs.append(0)
          isTurned.append(0)
          continue
        }
        let isFirst = isInterleaved ? channel.isMultiple(of: 2) : channel < half
        let step = isInterleaved ? 1 : half
        pairs.append(isInterleaved ? channel / 2 : channel % half)
        partners.append(first + channel + (isFirst ? step : -step))
        signs.append(isFirst ? -1 : 1)
        isTurned.append(1)
      }
    }
    let wide = try [cosines, sines].map { try call.apply(Gather(indices: pairs, axis: 2), to: $0) }
    let cosine = try call.apply(Scale(by: isTurned, bias: isTurned.map { 1 - $0 }), to: wide[0])
    let sine = try call.apply(Scale(by: signs), to: wide[1])
    let straight = try call.apply(Multiply(), to: input.tensor, cosine)
    let swapped = try call.apply(ChannelOrder(order: partners), to: input.tensor)
    let crossed = try call.apply(Multiply(), to: swapped, sine)
    let result = try ONNXHeads(
      try call.apply(Add(), to: straight, crossed), like: input)
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
        throw NodeFailure.invalid("a table of \(sizes) at places of \(places.sizes)")
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

/// Channel `i` of the result is channel `order[i]` of the tensor.
private struct ChannelOrder: Layer {
  static let summaryName = "Gather"
  let order: [Int]

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.gatherChannels(order), to: [try lowering.input()])
  }
}
