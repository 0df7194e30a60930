import Forge

/// What the attention of ONNX Runtime adds to the products of queries and keys.
///
/// A mask has a number above 0 for each key that counts; to the score of any other key
/// `mask_filter_value` is added, −10000 unless it is stated, so a query whose keys are all
/// masked weighs them as if none were.
struct MicrosoftMask {
  /// How many rows, heads, queries and keys there are, for each length of a sequence.
  let rows, heads, queries, keys: LengthSize
  /// The largest length.
  let maximum: Int?

  /// The sum of the mask and the bias, with four axes; `nil` if there is neither.
  func added(
    _ call: inout ONNXCall, mask: FileValue?, bias: FileValue?
  ) throws -> FileValue? {
    var sum: FileValue?
    if let mask {
      let filter = call.node.float("mask_filter_value", -10000)
      sum = try call.part(
        "Where", [try visible(&call, mask), .number(0), .number(filter)],
        name: "\(call.layerName)/mask")
    }
    guard let bias else { return sum }
    let sizes = try bias.lengthSizes()
    let one = LengthSize(1)
    guard sizes.count == 4, [one, rows].contains(sizes[0]), [one, heads].contains(sizes[1]),
      sizes[2] == queries, sizes[3] == keys
    else { throw NodeFailure.invalid("an attention_bias of \(bias.sizes)") }
    guard let mask = sum else { return bias }
    return try call.part("Add", [bias, mask], name: "\(call.layerName)/bias and mask")
  }

  /// 1 for each key that counts.
  private func visible(_ call: inout ONNXCall, _ mask: FileValue) throws -> FileValue {
    let one = LengthSize(1)
    let sizes = try mask.lengthSizes()
    switch sizes.count {
    case 1:
      if sizes[0] == rows {
        return try isBefore(&call, try mask.reshaped(to: [rows, one, one, one]))
      }
      guard ["Attention", "QAttention"].contains(call.node.type), let count = rows.constant,
        sizes[0].constant == 2 * count
      else { throw NodeFailure.unsupported("a mask of \(LengthSize.text(sizes))") }
      // The ends, and then the starts.
      let parts = try call.parts(
        "Split", [mask, .integers([count, count])], ["axis": .int(0)], outputs: 2)
      let bounds = try parts.map { try $0.reshaped(to: [rows, one, one, one]) }
      let isEarly = try isBefore(&call, bounds[0])
      let isLate = try call.part("GreaterOrEqual", [try places(), bounds[1]])
      return try call.part("And", [isEarly, isLate])
    case 2, 3:
      let wanted = sizes.count == 2 ? [rows, keys] : [rows, queries, keys]
      guard sizes == wanted else {
        throw NodeFailure.invalid(
          "a mask of \(LengthSize.text(sizes)) instead of \(LengthSize.text(wanted))")
      }
      let wide = [rows, one] + (sizes.count == 2 ? [one, keys] : [queries, keys])
      return try call.part("Greater", [try mask.reshaped(to: wide), Self.zero(mask.type)])
    default: throw NodeFailure.unsupported("a mask of \(LengthSize.text(sizes))")
    }
  }

  private static func zero(_ type: ElementType) -> FileValue {
    .host(HostTensor(integers: [0], sizes: [], type: type.isInteger ? type : .int32))
  }

  /// Whether the place of each key is before an end.
  private func isBefore(_ call: inout ONNXCall, _ end: FileValue) throws -> FileValue {
    try call.part("Less", [try places(), end])
  }

  /// The places of the keys, along the last of four axes.
  private func places() throws -> FileValue {
    try Self.count(to: keys, maximum).reshaped(to: [
      LengthSize(1), LengthSize(1), LengthSize(1), keys,
    ])
  }

  /// The numbers 0, 1, 2, … below an end.
  static func count(to end: LengthSize, _ maximum: Int?) throws -> FileValue {
    guard let count = end[maximum ?? 1], count > 0, count <= 1 << 24 else {
      throw NodeFailure.unsupported("\(LengthSize.text([end])) positions")
    }
    let all = HostTensor(
      integers: (0..<count).map { Int64($0) }, sizes: [count], type: .int32)
    guard end.constant == nil, let maximum else { return .host(all) }
    return .network(
      try ONNXLengths.cut(
        try ONNXCall.lengthConstant(all, maximum: maximum),
        [ONNXLengths.Cut(axis: 0, start: LengthSize(0), end: end)], maximum))
  }
}
