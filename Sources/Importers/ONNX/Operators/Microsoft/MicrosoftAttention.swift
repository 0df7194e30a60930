import Forge

extension ONNXOperators {
  /// Attention of ONNX Runtime's domain with as many heads of keys as of queries.
  static let microsoftAttention: [ONNXOperator] = [
    ONNXOperator(
      "Attention", domain: microsoft, import: { try selfAttention(&$0) }, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in
        try node.heads(apart: [0: 0, 3: 0, 4: 1, 5: 0], shared: [1, 2], bias: 5, outputs: [0, 1])
      }),
    ONNXOperator(
      "MultiHeadAttention", domain: microsoft, import: { try multiHeadAttention(&$0) },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart { node in
        try node.heads(
          apart: [0: 0, 1: 0, 2: 0, 4: 0, 5: 0, 6: 0, 7: 0], shared: [3], bias: 5,
          outputs: [0, 0, 0])
      }),
  ]

  // MARK: Attention

  /// Attention with the products that make queries, keys and values.
  private static func selfAttention(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    try call.refuse("do_rotary", "past_present_share_buffer")
    try call.refuse([6: "past_sequence_length"])
    let (input, weights) = (try call.value(0), try call.value(1))
    try checkFactors(call, input.sizes, weights.sizes)
    var product = try call.part("MatMul", [input, weights], name: call.outputName)
    if call.has(2) { product = try call.part("Add", [product, try bias(call, product, 2)]) }
    try selfAttention(&call, of: product, mask: 3, past: 4, bias: 5)
  }

  /// Checks the factors of the product that makes queries, keys and values.
  static func checkFactors(_ call: ONNXCall, _ input: [Int], _ weights: [Int]) throws {
    guard input.count == 3, weights.count == 2, weights[0] == input[2] else {
      throw NodeFailure.invalid("\(input) times \(weights)")
    }
  }

  /// Attention of queries, keys and values that are parts of the channels of one tensor.
  ///
  /// - Parameters:
  ///   - call: the node; its outputs are set.
  ///   - product: the tensor [batch, tokens, channels].
  ///   - mask: the input of the mask.
  ///   - past: the input of keys and values before.
  ///   - added: the input of what is added to the scores.
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  static func selfAttention(
    _ call: inout ONNXCall, of product: FileValue, mask: Int, past: Int, bias added: Int? = nil
  ) throws {
    let lengths = try product.lengthSizes()
    let heads = call.node.int("num_heads")
    let channels = product.sizes.last ?? 0
    guard lengths.count == 3, heads > 0 else {
      throw NodeFailure.invalid("\(product.sizes) in \(heads) heads")
    }
    let widths = call.node.ints("qkv_hidden_sizes") ?? Array(repeating: channels / 3, count: 3)
    guard widths.count == 3, widths.allSatisfy({ $0 > 0 && $0.isMultiple(of: heads) }),
      widths.reduce(0, { $0.addingSaturated($1) }) == channels, widths[0] == widths[1]
    else { throw NodeFailure.invalid("parts \(widths) of \(channels) in \(heads) heads") }
    let parts = try call.parts(
      "Split", [product, .integers(widths)], ["axis": .int(2)], outputs: 3)
    var pair: [FileValue?] = [nil, nil]
    var before = LengthSize(0)
    if let stored = call.optional(past), !stored.sizes.contains(0) {
      let pastSizes = try stored.lengthSizes()
      guard pastSizes.count == 5, pastSizes[0].constant == 2, pastSizes[1] == lengths[0],
        pastSizes[2].constant == heads, pastSizes[4].constant == widths[0] / heads,
        widths[0] == widths[2]
      else { throw NodeFailure.invalid("a past of \(stored.sizes)") }
      before = pastSizes[3]
      pair = try (0..<2).map { index in
        try call.part(
          "Gather", [stored, .integer(index)], ["axis": .int(0)],
          name: "\(call.layerName)/past/\(index)")
      }
    }
    let presents = try attend(
      &call, Array(parts), past: pair, before: before, heads: heads, mask: call.optional(mask),
      bias: added.flatMap { call.optional($0) })
    guard call.node.has(output: 1) else { return }
    let wide = try presents.enumerated().map { index, value in
      try call.part(
        "Unsqueeze", [value, .integers([0])], name: "\(call.layerName)/present/\(index)")
    }
    call.set(try call.part("Concat", wide, ["axis": .int(0)]), output: 1)
  }

  /// Sets the first output to the attention of queries to keys and values; returns the keys and
  /// values with those of the past, with an axis of heads.
  private static func attend(
    _ call: inout ONNXCall, _ parts: [FileValue], past: [FileValue?], before: LengthSize,
    heads: Int, mask: FileValue?, bias: FileValue?
  ) throws -> [FileValue] {
    let queries = try parts[0].lengthSizes()
    let keys = try parts[1].lengthSizes()
    let isSeparate = parts[0].sizes.count == 4
    guard let all = before.adding(keys[isSeparate ? 2 : 1]) else { throw ONNXLengths.overflow }
    let added = try MicrosoftMask(
      rows: queries[0], heads: LengthSize(heads), queries: queries[isSeparate ? 2 : 1], keys: all,
      maximum: call.maximumLength
    ).added(&call, mask: mask, bias: bias)
    var attributes: [String: NodeAttribute] = [
      "q_num_heads": .int(heads), "kv_num_heads": .int(heads),
      "is_causal": .flag(call.node.int("unidirectional") != 0),
    ]
    let scale = call.node.float("scale")
    if scale != 0 { attributes["scale"] = .float(scale) }
    let results = try call.parts(
      "Attention", parts + [added] + past, attributes, outputs: 3,
      name: "\(call.outputName)/Attention")
    call.set(results[0])
    return Array(results.dropFirst())
  }

  // MARK: MultiHeadAttention

  /// Attention of queries to keys and values that other nodes make.
  private static func multiHeadAttention(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    try call.refuse([8: "past_sequence_length", 9: "cache_indirection"])
    let heads = call.node.int("num_heads")
    let query = try call.value(0)
    guard query.sizes.count == 3, call.has(1), call.has(2) else {
      throw NodeFailure.unsupported("packed queries, keys and values")
    }
    guard heads > 0, query.sizes[2].isMultiple(of: heads) else {
      throw NodeFailure.invalid("\(heads) heads of queries \(query.sizes)")
    }
    var parts = try (0..<3).map { try call.value($0) }
    if let bias = call.optional(3) {
      guard parts.allSatisfy({ $0.sizes.count == 3 }) else {
        throw NodeFailure.unsupported("a bias beside keys that have an axis of heads")
      }
      let widths = parts.map { $0.sizes[2] }
      guard bias.sizes == [widths.reduce(0, +)] else {
        throw NodeFailure.invalid("a bias of \(bias.sizes) for channels \(widths)")
      }
      let biases = try call.parts(
        "Split", [bias, .integers(widths)], ["axis": .int(0)], outputs: 3,
        name: "\(call.layerName)/bias")
      parts = try zip(parts, biases).enumerated().map { index, pair in
        try call.part("Add", [pair.0, pair.1], name: "\(call.layerName)/\(["q", "k", "v"][index])")
      }
    }
    let isCross = parts[1].sizes.count == 4
    guard parts[1].sizes.count == parts[2].sizes.count, isCross || parts[1].sizes.count == 3 else {
      throw NodeFailure.unsupported("packed keys and values")
    }
    let lengths = try query.lengthSizes()
    if isCross {
      // Keys and values of another sequence, which have an axis of heads already.
      let width = query.sizes[2] / heads
      let wide = try parts[0].reshaped(
        to: [lengths[0], lengths[1], LengthSize(heads), LengthSize(width)])
      parts[0] = try call.part("Transpose", [wide], ["perm": .ints([0, 2, 1, 3])])
    }
    guard call.has(6) == call.has(7), !isCross || !call.has(6) else {
      throw NodeFailure.invalid("a past of keys or values alone")
    }
    var past: [FileValue?] = [nil, nil]
    var before = LengthSize(0)
    if let keys = call.optional(6), let values = call.optional(7), !keys.sizes.contains(0) {
      guard keys.sizes.count == 4, values.sizes.count == 4, keys.sizes[1] == heads else {
        throw NodeFailure.invalid("a past of \(keys.sizes) and \(values.sizes)")
      }
      past = [keys, values]
      before = try keys.lengthSizes()[2]
    }
    let presents = try attend(
      &call, parts, past: past, before: before, heads: heads, mask: call.optional(4),
      bias: call.optional(5))
    for (index, present) in presents.enumerated() { call.set(present, output: index + 1) }
    if isCross, let result = call.outputs[0] {
      let turned = try call.part(
        "Transpose", [result], ["perm": .ints([0, 2, 1, 3])], name: "\(call.layerName)/joined")
      let width = turned.sizes[2].multipliedSaturated(by: turned.sizes[3])
      call.set(try turned.reshaped(to: [lengths[0], lengths[1], LengthSize(width)]))
    }
  }
}

extension ONNXOpenNode {
  /// The places in the results of an attention whose inputs have the examples on stated axes.
  ///
  /// - Parameters:
  ///   - axes: the axis of the examples by input.
  ///   - shared: the inputs that belong to all examples.
  ///   - bias: the input that belongs to all examples if it has one row.
  ///   - outputs: the axis of the examples by output.
  /// - Returns: the places.
  /// - Throws: ``ONNXOpenNode/Mixes`` for any other place.
  func heads(
    apart axes: [Int: Int], shared: Set<Int>, bias: Int?, outputs: [Int]
  ) throws -> [ONNXOpenAxis?] {
    guard let first = place(0) else { throw Mixes() }
    for index in call.inputs.indices where call.has(index) {
      guard let place = place(index) else {
        guard try shared.contains(index) || (index == bias && sizes(index).first == 1) else {
          throw Mixes()
        }
        continue
      }
      guard let axis = axes[index], place == first.on(axis) else { throw Mixes() }
    }
    guard first.axis == 0 else { throw Mixes() }
    return call.node.outputs.indices.map {
      outputs.indices.contains($0) ? first.on(outputs[$0]) : nil
    }
  }
}
