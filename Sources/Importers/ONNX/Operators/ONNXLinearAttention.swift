import Forge

extension ONNXOperators {
  /// Attention whose keys and values are summed up in a matrix for each head, position by position.
  static func linearAttention(_ call: inout ONNXCall) throws {
    try LinearAttentionReader(call).run(&call)
  }
}

/// Reads the inputs and attributes of `LinearAttention`, whose positions become operations one
/// after the other.
private struct LinearAttentionReader {
  private let queries, keys, values: ONNXHeads
  /// Whether the matrix fades, and whether a value replaces what its key finds.
  private let isGated, isDelta: Bool
  private let scale: Float

  /// The number of operations grows with the positions.
  private static let mostPositions = 1024

  init(_ call: ONNXCall) throws {
    for index in 0..<3 { try call.refuseIntegers(index) }
    let node = call.node
    let rule = node.string("update_rule", "gated_delta")
    guard ["linear", "gated", "delta", "gated_delta"].contains(rule) else {
      throw NodeFailure.invalid("the rule \"\(rule)\"")
    }
    isGated = rule.hasPrefix("gated")
    isDelta = rule.hasSuffix("delta")
    let (heads, groups) = (node.int("q_num_heads"), node.int("kv_num_heads"))
    let files = try (0..<3).map { try call.network($0) }
    guard files.allSatisfy({ $0.rank == 3 }) else {
      throw NodeFailure.invalid("operands of \(files.map(\.sizes))")
    }
    queries = try ONNXHeads(files[0], heads: heads, "query")
    keys = try ONNXHeads(files[1], heads: groups, "key")
    values = try ONNXHeads(files[2], heads: groups, "value")
    let queryCounts = [queries.rows, queries.positions]
    guard queries.heads.isMultiple(of: keys.heads), queries.channels == keys.channels,
      [keys.rows, keys.positions] == queryCounts, [values.rows, values.positions] == queryCounts
    else { throw NodeFailure.invalid("operands of \(files.map(\.sizes))") }
    guard queries.positions <= Self.mostPositions else {
      throw NodeFailure.unsupported("\(queries.positions) positions")
    }
    let stated = node.float("scale")
    scale = stated == 0 ? 1 / Float(keys.channels).squareRoot() : stated
  }

  func run(_ call: inout ONNXCall) throws {
    let (rows, groups) = (queries.rows, keys.heads)
    let share = queries.heads / groups
    let (width, depth) = (keys.channels, values.channels)
    let decay = try isGated ? gate(call, 4, channels: [1, width]) : nil
    let beta = try isDelta ? gate(call, 5, channels: [1]) : nil
    var state = try start(call)
    var results: [Tensor] = []
    for position in 0..<queries.positions {
      func at(_ tensor: Tensor, _ sizes: [Int]) throws -> Tensor {
        let part = try call.apply(
          Slice(starts: [position], ends: [position + 1], axes: [1]), to: tensor)
        return try call.apply(Reshape(to: sizes), to: part)
      }
      let key = try at(keys.tensor, [rows, groups, 1, width])
      var value = try at(values.tensor, [rows, groups, 1, depth])
      if let decay {
        let exponents = try at(decay.tensor, [rows, groups, decay.channels, 1])
        state = try call.apply(
          Multiply(), to: state, try call.apply(Unary(.exponential), to: exponents))
      }
      if let beta {
        let found = try call.apply(MatMul(), to: key, state)
        let rate = try at(beta.tensor, [rows, beta.heads, 1, 1])
        value = try call.apply(
          Multiply(), to: try call.apply(Subtract(), to: value, found), rate)
      }
      let column = try call.apply(Reshape(to: [rows, groups, width, 1]), to: key)
      state = try call.apply(Add(), to: state, try call.apply(MatMul(), to: column, value))
      let query = try at(queries.tensor, [rows, groups, share, width])
      let result = try call.apply(MatMul(), to: query, state)
      results.append(
        try call.apply(Reshape(to: [rows, 1, queries.heads * depth]), to: result))
    }
    let all =
      results.count == 1
      ? results[0] : try call.apply(Concatenate(axis: 1), to: results)
    let scaled = try call.apply(Scale(scale), to: all)
    call.set(try ONNXHeads(scaled, like: queries, channels: depth).joined)
    if call.node.has(output: 1) {
      call.set(
        FileTensor(
          state, sizes: [rows, groups, width, depth], layout: [0, 1, 2, 3], type: queries.type),
        output: 1)
    }
  }

  /// The matrices before the first position, zeros if there are none.
  private func start(_ call: ONNXCall) throws -> Tensor {
    let sizes = [queries.rows, keys.heads, keys.channels, values.channels]
    guard call.has(3) else {
      try ONNXCall.checkConstant(sizes)
      let zeros = HostTensor(floats: Array(repeating: 0, count: sizes.reduce(1, *)), sizes: sizes)
      return try ONNXCall.plain(.host(zeros))
    }
    let value = try call.value(3)
    guard value.sizes == sizes else {
      throw NodeFailure.invalid("past_state of \(value.sizes) instead of \(sizes)")
    }
    return try ONNXCall.plain(value)
  }

  /// A gate with one number for each head, or one for all, and maybe for each channel.
  private func gate(_ call: ONNXCall, _ index: Int, channels: [Int]) throws -> ONNXHeads {
    let file = try call.network(index)
    let groups = keys.heads
    let width = file.sizes.last ?? 0
    let heads = width == 1 && channels == [1] ? 1 : groups
    guard file.rank == 3, file.sizes[0] == queries.rows, file.sizes[1] == queries.positions,
      channels.contains(where: { heads * $0 == width })
    else { throw NodeFailure.invalid("a gate of \(file.sizes)") }
    return try ONNXHeads(file, heads: heads, "a gate")
  }
}
