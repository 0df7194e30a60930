import Forge

extension ONNXOperators {
  /// Attention of ONNX Runtime's domain in which heads of queries share keys and values.
  static let microsoftGroupedAttention: [ONNXOperator] = [
    ONNXOperator(
      "GroupQueryAttention", domain: microsoft,
      import: { call in
        var reader = try GroupedAttentionReader(&call)
        try reader.run(&call)
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart { node in
        // Positions of a first call count from those of the first row.
        guard try node.place(9) == nil || node.sizes(0)[1] == 1 else {
          throw ONNXOpenNode.Mixes()
        }
        return try node.heads(
          apart: [0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 9: 0, 10: 0], shared: [6, 7, 8], bias: 10,
          outputs: [0, 0, 0])
      })
  ]
}

/// Reads the inputs and attributes of `GroupQueryAttention`.
///
/// The keys and values of a row follow those of its past, of which `seqlens_k` says how many there
/// are. A first call has as many new keys as there are in total.
private struct GroupedAttentionReader {
  private let heads, groups: Int
  private let width: Int
  private let rows, positions: LengthSize
  private let queries: FileValue
  private let past: (keys: FileValue, values: FileValue)?
  /// The number of positions for which the past has memory.
  private let room: Int
  /// Whether there is no past.
  private let isFirst: Bool
  /// The number of keys, of the longest row.
  private let total: LengthSize
  private var keys, values: FileValue

  init(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let node = call.node
    try call.refuse(
      [
        11: "head_sink", 12: "k_scale", 13: "v_scale", 14: "q_norm_weight",
        15: "k_norm_weight", 16: "query_seqlens",
      ])
    try call.refuse("sliding_window_cache", "qk_output", "kv_cache_bit_width")
    guard node.int("smooth_softmax", -1) <= 0 else {
      throw NodeFailure.unsupported("smooth_softmax")
    }
    guard node.int("causal", 1) == 1 else { throw NodeFailure.unsupported("causal 0") }
    for name in ["k_quant_type", "v_quant_type"] where node.string(name, "NONE") != "NONE" {
      throw NodeFailure.unsupported("\(name) \(node.string(name))")
    }
    (heads, groups) = (node.int("num_heads"), node.int("kv_num_heads"))
    let query = try call.value(0)
    guard heads > 0, groups > 0, heads.isMultiple(of: groups), query.sizes.count == 3 else {
      throw NodeFailure.invalid("\(heads) heads of \(query.sizes) that share \(groups)")
    }
    let lengths = try query.lengthSizes()
    (rows, positions) = (lengths[0], lengths[1])
    if call.has(1), call.has(2) {
      width = query.sizes[2] / heads
      (queries, keys, values) = (query, try call.value(1), try call.value(2))
    } else {
      guard !call.has(1), !call.has(2) else { throw NodeFailure.invalid("keys or values alone") }
      let parts = heads.addingSaturated(2.multipliedSaturated(by: groups))
      width = query.sizes[2] / parts
      guard width.multipliedSaturated(by: parts) == query.sizes[2] else {
        throw NodeFailure.invalid("\(parts) heads of \(query.sizes)")
      }
      let all = try call.parts(
        "Split", [query, .integers([heads * width, groups * width, groups * width])],
        ["axis": .int(2)], outputs: 3)
      (queries, keys, values) = (all[0], all[1], all[2])
    }
    let wanted = [lengths[0], lengths[1], LengthSize(groups * width)]
    guard width * heads == queries.sizes[2], try keys.lengthSizes() == wanted,
      try values.lengthSizes() == wanted
    else {
      throw NodeFailure.invalid("keys of \(keys.sizes) for \(heads) heads of \(queries.sizes)")
    }
    guard call.has(3) == call.has(4) else {
      throw NodeFailure.invalid("a past of keys or values alone")
    }
    if let keys = call.optional(3), let values = call.optional(4), !keys.sizes.contains(0) {
      let sizes = [query.sizes[0], groups, keys.sizes.count == 4 ? keys.sizes[2] : 0, width]
      guard keys.sizes == sizes, values.sizes == sizes else {
        throw NodeFailure.invalid("a past of \(keys.sizes) and \(values.sizes)")
      }
      guard let room = try keys.lengthSizes()[2].constant else {
        throw NodeFailure.unsupported("a past whose length varies")
      }
      (past, self.room) = ((keys, values), room)
    } else {
      (past, room) = (nil, 0)
    }
    guard let total = try call.lengthNumbers(6, "total_sequence_length")?.first else {
      throw NodeFailure.invalid("no total_sequence_length")
    }
    self.total = total
    isFirst = total == lengths[1]
    guard try call.value(5).sizes.reduce(1, *) == query.sizes[0] else {
      throw NodeFailure.invalid(
        "lengths of \(try call.value(5).sizes) for \(query.sizes[0]) rows")
    }
    guard isFirst || (positions.constant != nil && total.constant != nil && past != nil) else {
      throw NodeFailure.unsupported("a past beside a sequence whose length varies")
    }
  }

  mutating func run(_ call: inout ONNXCall) throws {
    let start = try isFirst ? nil : start(&call)
    var queries = queries
    if call.node.int("do_rotary") != 0 {
      let places = try places(&call, start)
      (queries, keys) = (
        try rotated(&call, queries, heads, places, "queries"),
        try rotated(&call, keys, groups, places, "keys")
      )
    }
    if isFirst {
      try runFirst(&call, queries)
    } else if let start, let past {
      try run(&call, queries, behind: past, start)
    }
  }

  // MARK: Positions

  /// The number of keys of each row before the new ones: [rows, 1].
  private func start(_ call: inout ONNXCall) throws -> FileValue {
    let lengths = try call.value(5).reshaped(to: [rows, LengthSize(1)])
    let shift = 1 - (positions.constant ?? 0)
    return try ONNXOperators.sumOfIntegers(
      &call, lengths, .host(HostTensor(integers: [Int64(shift)], sizes: [1, 1])))
  }

  /// The positions of the queries: [rows or 1, positions].
  private func places(_ call: inout ONNXCall, _ start: FileValue?) throws -> FileValue {
    if let stated = call.optional(9) {
      guard try stated.lengthSizes() == [rows, positions] else {
        throw NodeFailure.invalid("position_ids of \(stated.sizes)")
      }
      if positions.constant == 1 { return stated }
      // A first call counts from the first position of the first row.
      guard isFirst else { throw NodeFailure.unsupported("position_ids of several new positions") }
      let first = try call.part(
        "Slice", [stated, .integers([0, 0]), .integers([1, 1]), .integers([0, 1])])
      return try ONNXOperators.consecutive(
        &call, from: first, positions, maximum: call.maximumLength)
    }
    let zero = FileValue.host(HostTensor(integers: [0], sizes: [1, 1]))
    return try ONNXOperators.consecutive(
      &call, from: start ?? zero, positions, maximum: call.maximumLength)
  }

  private func rotated(
    _ call: inout ONNXCall, _ input: FileValue, _ heads: Int, _ places: FileValue, _ what: String
  ) throws -> FileValue {
    let cosines = try call.value(7)
    return try ONNXOperators.rotated(
      &call, input, cosines, try call.value(8), at: places, heads: heads,
      channels: 2 * (cosines.sizes.last ?? 0),
      isInterleaved: call.node.int("rotary_interleaved") != 0, name: "\(call.layerName)/\(what)")
  }

  // MARK: Attention

  private func attributes(_ call: ONNXCall) -> [String: NodeAttribute] {
    var attributes: [String: NodeAttribute] = [
      "q_num_heads": .int(heads), "kv_num_heads": .int(groups),
      "softcap": .float(call.node.float("softcap")),
    ]
    let scale = call.node.float("scale")
    if scale != 0 { attributes["scale"] = .float(scale) }
    return attributes
  }

  /// A number of keys that a query sees, its own among them; all of them if `nil`.
  private func window(_ call: ONNXCall) throws -> Int? {
    let size = call.node.int("local_window_size", -1)
    guard size != 0, size >= -1, size <= 1 << 24 else {
      throw NodeFailure.unsupported("local_window_size \(size)")
    }
    return size < 0 ? nil : size
  }

  /// What is added to the scores of visible keys.
  private func bias(_ call: ONNXCall) throws -> FileValue? {
    guard let bias = call.optional(10) else { return nil }
    let (sizes, one) = (try bias.lengthSizes(), LengthSize(1))
    guard sizes.count == 4, [one, rows].contains(sizes[0]),
      [one, LengthSize(heads)].contains(sizes[1]), sizes[2] == positions, sizes[3] == total
    else { throw NodeFailure.invalid("an attention_bias of \(bias.sizes)") }
    return bias
  }

  /// Attention of a first call, whose keys are the new ones.
  private func runFirst(_ call: inout ONNXCall, _ queries: FileValue) throws {
    var attributes = attributes(call)
    attributes["is_causal"] = .int(1)
    if let window = try window(call) { attributes["left_window_size"] = .int(window - 1) }
    let results = try call.parts(
      "Attention", [queries, keys, values, try bias(call)], attributes, outputs: 3,
      name: "\(call.outputName)/Attention")
    call.set(results[0])
    let count = positions.constant ?? 0
    for index in 1...2 where call.node.has(output: index) {
      // Memory that the first call does not fill is 0.
      let rest = room - count
      let present =
        rest > 0
        ? try call.part(
          "Pad", [results[index], .integers([0, 0, 0, 0, 0, 0, rest, 0])],
          name: "\(call.layerName)/present/\(index)") : results[index]
      call.set(present, output: index)
    }
  }

  /// Attention to the keys of a past and the new ones behind them.
  private func run(
    _ call: inout ONNXCall, _ queries: FileValue, behind past: (keys: FileValue, values: FileValue),
    _ start: FileValue
  ) throws {
    guard let count = positions.constant, let total = total.constant, let rows = rows.constant,
      total > count, total <= max(room, room.addingSaturated(count)), total <= 1 << 20
    else { throw NodeFailure.unsupported("\(total) keys after a past of \(room)") }
    let size = max(room, total)
    let start = try ONNXCall.plain(start)
    let sources = try sources(call, start, rows: rows, count: count, size: size)
    let presents = try [(past.keys, keys, "keys"), (past.values, values, "values")].map {
      try gathered(&call, $0.0, $0.1, sources, rows: rows, count: count, size: size, $0.2)
    }
    let seen = try presents.enumerated().map { index, present in
      size == total
        ? present
        : try call.part(
          "Slice", [present, .integers([0]), .integers([total]), .integers([1])],
          name: "\(call.layerName)/seen/\(index)")
    }
    var mask = try visible(call, start, rows: rows, count: count, total: total)
    if let bias = try bias(call) {
      mask = try call.part(
        "Where", [mask, bias, .number(-.infinity)], name: "\(call.layerName)/bias")
    }
    let results = try call.parts(
      "Attention", [queries] + seen + [mask], attributes(call), outputs: 1,
      name: "\(call.outputName)/Attention")
    call.set(results[0])
    for (index, present) in presents.enumerated() where call.node.has(output: index + 1) {
      let wide = try present.reshaped(to: [rows, size, groups, width])
      call.set(
        try call.part(
          "Transpose", [wide], ["perm": .ints([0, 2, 1, 3])],
          name: "\(call.layerName)/present/\(index)"),
        output: index + 1)
    }
  }

  /// Where each key comes from, as rows of a table that has for each row of the batch the past, the
  /// new keys and a row of zeros: [rows · size].
  ///
  /// A past that is longer than its memory becomes a place that no table has, which is an error of
  /// the prediction.
  private func sources(
    _ call: ONNXCall, _ start: Tensor, rows: Int, count: Int, size: Int
  ) throws -> Tensor {
    func constant(_ sizes: [Int], _ number: (Int) -> Int) throws -> Tensor {
      try ONNXCall.checkConstant(sizes)
      let values = (0..<sizes.reduce(1, *)).map { Float(number($0)) }
      return try ONNXCall.plain(.host(HostTensor(floats: values, sizes: sizes)))
    }
    let each = room + count + 1
    guard rows.multipliedSaturated(by: each) < 1 << 24 else {
      throw NodeFailure.unsupported("\(rows) pasts of \(room)")
    }
    let places = try constant([1, size]) { $0 }
    let distance = try call.apply(Subtract(), to: places, start)
    let zero = try constant([1, 1]) { _ in 0 }
    let isPast = try call.apply(Compare(.less), to: distance, zero)
    let isNew = try call.apply(
      Compare(.less), to: distance, try constant([1, 1]) { _ in count })
    let new = try call.apply(Add(), to: distance, try constant([1, 1]) { _ in room })
    let other = try call.apply(
      Where(), to: [isNew, new, try constant([1, 1]) { _ in each - 1 }])
    let sourceRows = try call.apply(Where(), to: [isPast, places, other])
    let all = try call.apply(Add(), to: sourceRows, try constant([rows, 1]) { $0 * each })
    // The past has from 0 to `room` keys.
    let isEnough = try call.apply(Compare(.greaterOrEqual), to: start, zero)
    let fits = try call.apply(
      Compare(.lessOrEqual), to: start, try constant([1, 1]) { _ in room })
    let isThere = try call.apply(Logical(.and), to: isEnough, fits)
    let checked = try call.apply(
      Where(), to: [isThere, all, try constant([1, 1]) { _ in 1 << 24 }])
    return try call.apply(Reshape(to: [rows * size]), to: checked)
  }

  /// The keys or values of the past and the new ones in their places: [rows, size, channels].
  private func gathered(
    _ call: inout ONNXCall, _ past: FileValue, _ new: FileValue, _ sources: Tensor, rows: Int,
    count: Int, size: Int, _ what: String
  ) throws -> FileValue {
    let channels = groups * width
    let before = try call.part(
      "Transpose", [past], ["perm": .ints([0, 2, 1, 3])], name: "\(call.layerName)/past/\(what)"
    ).reshaped(to: [rows, room, channels])
    let none = FileValue.host(
      HostTensor(type: .float32, sizes: [rows, 1, channels], storage: .repeated(0)))
    let table = try call.part(
      "Concat", [before, new, none], ["axis": .int(1)], name: "\(call.layerName)/all/\(what)")
    let flat = try table.reshaped(to: [rows * (room + count + 1), channels])
    let result = try call.apply(GatherRows(axis: 0), to: try ONNXCall.plain(flat), sources)
    return .network(
      FileTensor(result, sizes: [rows * size, channels], layout: [0, 1], type: new.type)
        .reshaped(to: [rows, size, channels]))
  }

  /// Whether each query sees each key: [rows, 1, count, total].
  private func visible(
    _ call: ONNXCall, _ start: Tensor, rows: Int, count: Int, total: Int
  ) throws -> FileValue {
    let sizes = [1, 1, count, total]
    try ONNXCall.checkConstant(sizes)
    // How far a key is behind the query, if there is no past.
    func table(_ shift: Int) throws -> Tensor {
      let values = (0..<(count * total)).map { Float($0 % total - $0 / total + shift) }
      return try ONNXCall.plain(.host(HostTensor(floats: values, sizes: sizes)))
    }
    let wide = try call.apply(Reshape(to: [rows, 1, 1, 1]), to: start)
    var visible = try call.apply(Compare(.lessOrEqual), to: try table(0), wide)
    if let window = try window(call) {
      let isNear = try call.apply(Compare(.greater), to: try table(window), wide)
      visible = try call.apply(Logical(.and), to: visible, isNear)
    }
    return .network(
      FileTensor(
        visible, sizes: [rows, 1, count, total], layout: [0, 1, 2, 3], type: .bool))
  }
}
