import Forge

extension ONNXOperators {
  /// The rotation of positions of ONNX Runtime's domain.
  static let microsoftRotations: [ONNXOperator] = [
    ONNXOperator(
      "RotaryEmbedding", domain: microsoft, import: { try rotate(&$0) }, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in
        let first = ONNXOpenAxis(axis: 0)
        guard node.place(0) == first, node.place(2) == nil, node.place(3) == nil,
          try node.place(1) == first || (node.place(1) == nil && node.rank(1) == 1)
        else { throw ONNXOpenNode.Mixes() }
        return node.all(first)
      })
  ]

  private static func rotate(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    try call.refuse("is_packed_batching")
    let scale = call.node.float("scale", 1)
    guard scale == 1 || scale == 0 else { throw NodeFailure.unsupported("scale \(scale)") }
    let (input, places) = (try call.value(0), try call.value(1))
    let lengths = try input.lengthSizes()
    let cosines = try call.value(2)
    guard cosines.sizes.count == 2, cosines.sizes[1] > 0 else {
      throw NodeFailure.invalid("a table of \(cosines.sizes)")
    }
    let channels = call.node.int("rotary_embedding_dim")
    var heads = call.node.int("num_heads")
    let positions: LengthSize
    switch input.sizes.count {
    case 3:
      // Without a number of rotated channels, the tables rotate all channels of a head.
      if heads == 0 || channels == 0 { heads = input.sizes[2] / (2 * cosines.sizes[1]) }
      positions = lengths[1]
    case 4:
      heads = input.sizes[1]
      positions = lengths[2]
    default: throw NodeFailure.invalid("a tensor of \(input.sizes)")
    }
    let at: FileValue
    if places.sizes == [1] {
      at = try consecutive(
        &call, from: try places.reshaped(to: [1, 1]), positions, maximum: call.maximumLength)
    } else {
      at = places
    }
    call.set(
      try rotated(
        &call, input, cosines, try call.value(3), at: at, heads: heads, channels: channels,
        isInterleaved: call.node.int("interleaved") != 0, name: call.outputName))
  }

  /// Heads that are rotated by the cosines and sines of their positions.
  static func rotated(
    _ call: inout ONNXCall, _ input: FileValue, _ cosines: FileValue, _ sines: FileValue,
    at places: FileValue, heads: Int, channels: Int, isInterleaved: Bool, name: String
  ) throws -> FileValue {
    try call.part(
      "RotaryEmbedding", [input, cosines, sines, places],
      [
        "num_heads": .int(heads), "rotary_embedding_dim": .int(channels),
        "interleaved": .flag(isInterleaved),
      ], name: name)
  }

  /// Consecutive positions, from the first one of each row.
  static func consecutive(
    _ call: inout ONNXCall, from first: FileValue, _ count: LengthSize, maximum: Int?
  ) throws -> FileValue {
    let steps = try MicrosoftMask.count(to: count, maximum)
      .reshaped(to: [LengthSize(1), count])
    return try sumOfIntegers(&call, first, steps)
  }

  /// The sum of small integers, which Float32 holds exactly.
  static func sumOfIntegers(
    _ call: inout ONNXCall, _ a: FileValue, _ b: FileValue
  ) throws -> FileValue {
    if case .host(let first) = a, case .host(let second) = b {
      func same(_ host: HostTensor) throws -> FileValue { .host(try host.cast(to: .int64)) }
      return try call.part("Add", [try same(first), try same(second)])
    }
    let common = try commonLayout([a, b])
    let sum = try call.apply(Add(), to: [try operand(a, common), try operand(b, common)])
    return .network(
      FileTensor(sum, sizes: common.sizes, layout: common.layout, type: .int64))
  }
}
