import Forge

extension ONNXOperators {
  /// Attention, and the rotation of positions.
  static let attention: [ONNXOperator] = [
    .computed(
      "Attention", import: { try AttentionReader($0).run(&$0) },
      rule: ONNXOpenRules.firstAxes(shared: [3], mask: 3)),
    ONNXOperator(
      "FlexAttention", domain: "ai.onnx.preview", import: flexAttention, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(ONNXOpenRules.firstAxes())),
    // Its positions become operations one after the other.
    ONNXOperator(
      "LinearAttention", import: linearAttention, fold: .none, bounds: nil, length: .refused,
      sizes: .none, examples: .apart(ONNXOpenRules.firstAxes(shared: [3]))),
    .computed(
      "RotaryEmbedding", import: { try ONNXRotation($0).run(&$0) },
      rule: ONNXOpenRules.firstAxes(shared: [1, 2, 3])),
  ]

  /// Attention without graphs of its own.
  private static func flexAttention(_ call: inout ONNXCall) throws {
    for part in ["score_mod", "prob_mod"] where call.node.has(part) {
      throw NodeFailure.unsupported("a graph \(part)")
    }
    guard call.inputs.count == 3 else { throw NodeFailure.invalid("other inputs than Q, K, V") }
    try AttentionReader(call).run(&call)
  }
}

/// Reads the inputs and attributes of `Attention`.
private struct AttentionReader {
  private let queries, newKeys, newValues: ONNXHeads
  /// The keys and values of earlier calls.
  private let past: (keys: ONNXHeads, values: ONNXHeads)?
  private let scale: Float?
  private let cap: Float?
  /// How many keys before and after its own position a query sees; all of them if `nil`.
  private let before, after: Int?
  /// Whether the file's tensors have an axis of heads.
  private let isSeparate: Bool

  init(_ call: ONNXCall) throws {
    for index in 0..<3 { try call.refuseIntegers(index) }
    let node = call.node
    func heads(_ name: String) -> Int? { node.has(name) ? node.int(name) : nil }
    let (q, k, v) = (try call.network(0), try call.network(1), try call.network(2))
    guard q.rank == k.rank, k.rank == v.rank else {
      throw NodeFailure.invalid("Q \(q.sizes), K \(k.sizes), V \(v.sizes)")
    }
    isSeparate = q.rank == 4
    queries = try ONNXHeads(q, heads: heads("q_num_heads"), "Q")
    newKeys = try ONNXHeads(k, heads: heads("kv_num_heads"), "K")
    newValues = try ONNXHeads(v, heads: heads("kv_num_heads"), "V")
    guard call.has(4) == call.has(5) else {
      throw NodeFailure.invalid("a past of keys or values alone")
    }
    if call.has(4) {
      let (keys, values) = (
        try ONNXHeads(try call.network(4), heads: newKeys.heads, "past_key"),
        try ONNXHeads(try call.network(5), heads: newValues.heads, "past_value")
      )
      let pairs = [(keys, newKeys), (values, newValues)]
      guard pairs.allSatisfy({ $0.rows == $1.rows && $0.channels == $1.channels }) else {
        throw NodeFailure.invalid("a past that does not fit K and V")
      }
      past = (keys, values)
    } else {
      past = nil
    }
    scale = node.has("scale") ? node.float("scale") : nil
    let stated = node.float("softcap")
    cap = stated > 0 ? stated : nil
    let windows = try ["left_window_size", "right_window_size"].map { name -> Int? in
      let size = node.int(name, -1)
      guard (-1...(1 << 40)).contains(size) else { throw NodeFailure.invalid("\(name) \(size)") }
      return size < 0 ? nil : size
    }
    before = windows[0]
    after = node.int("is_causal") != 0 ? 0 : windows[1]
  }

  func run(_ call: inout ONNXCall) throws {
    let keys = try joined(&call, past?.keys, newKeys)
    let values = try joined(&call, past?.values, newValues)
    if call.node.has(output: 1) { call.set(try keys.separate(), output: 1) }
    if call.node.has(output: 2) { call.set(try values.separate(), output: 2) }
    var mask = try mask(&call, keys)
    var offset: Int?
    if let visible = try visible(&call, keys, &offset) {
      mask = try joined(&call, mask, visible)
    }
    let rule = AttentionRule(
      heads: queries.heads, groups: keys.heads, scale: scale, causalOffset: offset, cap: cap,
      mask: mask?.kind ?? .none)
    if call.node.has(output: 0) {
      let operands =
        [queries.tensor, keys.tensor, values.tensor] + (mask.map { [$0.tensor] } ?? [])
      let result = try call.apply(
        ScaledDotProductAttention(rule, name: call.layerName), to: operands)
      let heads = try ONNXHeads(result, like: queries, channels: values.channels)
      call.set(isSeparate ? try heads.separate() : heads.joined)
    }
    if call.node.has(output: 3) {
      call.set(try scores(&call, keys, mask, causalOffset: offset), output: 3)
    }
  }

  /// Keys or values behind those of the past.
  private func joined(
    _ call: inout ONNXCall, _ past: ONNXHeads?, _ new: ONNXHeads
  ) throws -> ONNXHeads {
    guard let past else { return new }
    let all = try call.apply(Concatenate(axis: 1), to: [past.tensor, new.tensor])
    return try ONNXHeads(all, like: new, behind: past)
  }

  // MARK: Masks

  /// A mask with the axes of the file, the last ones of [rows, heads, queries, keys].
  private struct Mask {
    var tensor: Tensor
    var sizes: [Int]
    var kind: AttentionRule.Mask
  }

  /// The mask of the file, whose missing keys are hidden.
  private func mask(_ call: inout ONNXCall, _ heads: ONNXHeads) throws -> Mask? {
    guard call.has(3) else { return nil }
    let value = try call.value(3)
    let last = try value.lengthSizes().last
    guard last == heads.positionLengths || (last?.constant != nil && !heads.varies) else {
      throw NodeFailure.unsupported("a mask that does not follow the length of the keys")
    }
    let keys = heads.positions
    let isBool = value.type == .bool
    guard isBool || !value.type.isInteger else {
      throw NodeFailure.invalid("a mask of \(value.type.rawValue)")
    }
    var sizes = value.sizes
    guard (1...4).contains(sizes.count), let count = sizes.last, count <= keys else {
      throw NodeFailure.invalid("a mask of \(sizes) for \(keys) keys")
    }
    var tensor = try ONNXCall.plain(value)
    let kind: AttentionRule.Mask = isBool ? .visible : .added
    if count < keys {
      sizes[sizes.count - 1] = keys - count
      try ONNXCall.checkConstant(sizes)
      let hidden = HostTensor(
        type: .float32, sizes: sizes, storage: .repeated(isBool ? 0 : -Float.infinity))
      let rest = try ONNXCall.plain(.host(hidden))
      tensor = try call.apply(Concatenate(axis: sizes.count - 1), to: [tensor, rest])
      sizes[sizes.count - 1] = keys
    }
    return Mask(tensor: tensor, sizes: sizes, kind: kind)
  }

  /// The mask of windows and of the number of keys that count in each row; `nil` if there is none.
  ///
  /// `offset` becomes the offset of a causal attention, which hides keys without a mask.
  private func visible(
    _ call: inout ONNXCall, _ keys: ONNXHeads, _ offset: inout Int?
  ) throws -> Mask? {
    guard call.has(6) else {
      let start = past?.keys.positions ?? 0
      guard past?.keys.varies != true || (before == nil && after == nil) else {
        throw NodeFailure.unsupported("a window of keys after a past whose length varies")
      }
      offset = after.map { start + $0 }
      guard let before else { return nil }
      let visible = try table(call, keys) { $1 >= $0 + start - before ? 1 : 0 }
      return Mask(
        tensor: visible, sizes: [1, 1, queries.positions, keys.positions], kind: .visible)
    }
    guard !queries.varies || (before == nil && after == nil), queries.rowLengths.constant != nil
    else { throw NodeFailure.unsupported("numbers of keys of a sequence whose length varies") }
    let value = try call.value(6)
    guard value.sizes == [queries.rows], past == nil else {
      throw NodeFailure.invalid("lengths of \(value.sizes) for \(queries.rows) rows")
    }
    let lengths = try call.apply(
      Reshape(to: [queries.rows, 1, 1, 1]), to: try ONNXCall.plain(value))
    // The last query has the position of the last key that counts.
    let isSame = before == nil && after == nil
    let count = isSame ? 1 : queries.positions
    let least = try table(call, keys, isSame: isSame) { query, key in
      max(key + 1, after.map { key - query + count - $0 } ?? 0)
    }
    var visible = try call.apply(Compare(.lessOrEqual), to: least, lengths)
    if let before {
      let most = try table(call, keys) { before + count - $0 + $1 }
      let isNear = try call.apply(Compare(.greaterOrEqual), to: most, lengths)
      visible = try call.apply(Logical(.and), to: visible, isNear)
    }
    return Mask(
      tensor: visible, sizes: [queries.rows, 1, count, keys.positions], kind: .visible)
  }

  /// A constant for each query and key, or with `isSame` for each key.
  private func table(
    _ call: ONNXCall, _ keys: ONNXHeads, isSame: Bool = false, _ number: (Int, Int) -> Int
  ) throws -> Tensor {
    let sizes = [1, 1, isSame ? 1 : queries.positions, keys.positions]
    try ONNXCall.checkConstant(sizes)
    let values = (0..<sizes[2]).flatMap { query in
      (0..<sizes[3]).map { Float(number(query, $0)) }
    }
    let host = HostTensor(floats: values, sizes: sizes)
    let lengths = [isSame ? LengthSize(1) : queries.positionLengths, keys.positionLengths]
    let cuts = zip([2, 3], lengths).filter { $0.1.constant == nil }.map {
      ONNXLengths.Cut(axis: $0.0, start: LengthSize(0), end: $0.1)
    }
    guard let maximum = call.maximumLength, !cuts.isEmpty else {
      return try ONNXCall.plain(.host(host))
    }
    let all = try ONNXCall.lengthConstant(host, maximum: maximum)
    return try ONNXLengths.cut(all, cuts, maximum).tensor(as: [0, 1, 2, 3])
  }

  /// A mask that hides what one of two masks hides.
  private func joined(_ call: inout ONNXCall, _ mask: Mask?, _ visible: Mask) throws -> Mask {
    guard let mask else { return visible }
    let ones = Array(repeating: 1, count: 4 - mask.sizes.count)
    let sizes = ones + mask.sizes
    let fullMask =
      ones.isEmpty ? mask.tensor : try call.apply(mask.tensor.reshape(to: sizes), to: mask.tensor)
    guard let both = HostTensor.broadcast(sizes, visible.sizes) else {
      throw NodeFailure.invalid("a mask of \(mask.sizes) beside lengths")
    }
    let tensor =
      mask.kind == .visible
      ? try call.apply(Logical(.and), to: fullMask, visible.tensor)
      : try call.apply(Where(), to: visible.tensor, fullMask, try Self.hidden())
    return Mask(tensor: tensor, sizes: both, kind: mask.kind)
  }

  /// The number −∞, with four axes.
  private static func hidden() throws -> Tensor {
    try ONNXCall.plain(.host(HostTensor(floats: [-.infinity], sizes: [1, 1, 1, 1])))
  }

  // MARK: Scores

  /// The scores as `qk_matmul_output_mode` says: products, capped, masked, or their softmax.
  private func scores(
    _ call: inout ONNXCall, _ keys: ONNXHeads, _ mask: Mask?, causalOffset: Int?
  ) throws -> FileTensor {
    let mode = call.node.int("qk_matmul_output_mode")
    guard (0...3).contains(mode) else { throw NodeFailure.invalid("mode \(mode) of scores") }
    let (groups, count) = (keys.heads, queries.heads / keys.heads)
    guard groups * count == queries.heads, queries.channels == keys.channels else {
      throw NodeFailure.invalid("\(queries.heads) heads that share \(groups) of the keys")
    }
    let q = try queries.separate().reshaped(
      to: [
        queries.rowLengths, LengthSize(groups), LengthSize(count), queries.positionLengths,
        LengthSize(queries.channels),
      ])
    let k = try keys.separate().transposed([0, 1, 3, 2]).reshaped(
      to: [
        keys.rowLengths, LengthSize(groups), LengthSize(1), LengthSize(keys.channels),
        keys.positionLengths,
      ])
    let product = try ONNXOperators.product(
      &call, .network(q), .network(k), name: "\(call.layerName)/scores")
    let sizes = [queries.rows, queries.heads, queries.positions, keys.positions]
    let lengths = [
      queries.rowLengths, LengthSize(queries.heads), queries.positionLengths, keys.positionLengths,
    ]
    var scores = try product.reshaped(to: lengths).tensor(as: [0, 1, 2, 3])
    let scale = scale ?? 1 / Float(queries.channels).squareRoot()
    scores = try call.apply(Scale(scale), to: scores)
    if let cap, mode > 0 {
      scores = try call.apply(Unary(.scaledTanh(alpha: cap, beta: 1 / cap)), to: scores)
    }
    if mode > 1 {
      if let causalOffset {
        let triangle = try table(call, keys) { $1 <= $0 + causalOffset ? 1 : 0 }
        scores = try call.apply(Where(), to: triangle, scores, try Self.hidden())
      }
      if let mask {
        let fullSizes = Array(repeating: 1, count: 4 - mask.sizes.count) + mask.sizes
        let wide = try call.apply(mask.tensor.reshape(to: fullSizes), to: mask.tensor)
        scores =
          mask.kind == .added
          ? try call.apply(Add(), to: scores, wide)
          : try call.apply(Where(), to: wide, scores, try Self.hidden())
      }
      if mode == 3 { scores = try softmax(&call, scores) }
    }
    return FileTensor(scores, sizes: sizes, layout: [0, 1, 2, 3], type: queries.type)
  }

  /// The softmax of scores, 0 for a query that sees no key.
  private func softmax(_ call: inout ONNXCall, _ scores: Tensor) throws -> Tensor {
    let largest = try call.apply(
      Reduce(.maximum, axes: [3], keepsDimensions: true), to: scores)
    let isHidden = try call.apply(
      Unary(.isInfinite(positive: false, negative: true)), to: largest)
    let zero = try ONNXCall.plain(.host(HostTensor(floats: [0], sizes: [1, 1, 1, 1])))
    let probabilities = try call.apply(Softmax(axis: 3), to: scores)
    return try call.apply(Where(), to: isHidden, zero, probabilities)
  }
}
