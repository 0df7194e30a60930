import Forge

extension MILOperators {
  /// Products of matrices.
  static let products: [String: Operation] = [
    "linear": { call in
      let (input, weights) = (try call.value(), try call.value("weight"))
      guard weights.sizes.count == 2 else {
        throw NodeFailure.invalid("weights \(weights.sizes)")
      }
      let bias = try call.optional("bias")
      if case .network = input, case .host(let matrix) = weights, bias.map(isHost) ?? true {
        call.set(try dense(&call, input, matrix, isTransposed: true, bias: bias))
        return
      }
      let turned = try call.node("Transpose", [weights], ["perm": .ints([1, 0])])
      var result = try call.node("MatMul", [input, turned])
      if let bias { result = try call.node("Add", [result, bias]) }
      call.set(result)
    },
    "matmul": { call in
      let (x, y) = (try call.value("x"), try call.value("y"))
      let turnsX = try call.bool("transpose_x", false)
      let turnsY = try call.bool("transpose_y", false)
      if case .network = x, case .host(let matrix) = y, matrix.sizes.count == 2, !turnsX {
        call.set(try dense(&call, x, matrix, isTransposed: turnsY, bias: nil))
        return
      }
      // The product comes first, so that it has the name of the operation.
      let (a, b) = (try turned(x, turnsX), try turned(y, turnsY))
      call.set(try call.node("MatMul", [a, b]))
    },
    "einsum": { call in
      let equation = try call.text("equation", "")
      call.set(try call.node("Einsum", try call.values(), ["equation": .string(equation)]))
    },
  ]

  private static func isHost(_ value: FileValue) -> Bool {
    if case .host = value { true } else { false }
  }

  /// A dense layer; see ``ONNXOperators/dense(_:_:_:isTransposed:bias:)``.
  private static func dense(
    _ call: inout MILCall, _ input: FileValue, _ weights: HostTensor, isTransposed: Bool,
    bias: FileValue?
  ) throws -> FileValue {
    guard input.sizes.count >= 1 else { throw NodeFailure.invalid("a tensor without axes") }
    var values: HostTensor?
    if case .host(let host)? = bias {
      let outputs = weights.sizes[isTransposed ? 0 : 1]
      guard host.count == outputs || host.count == 1 else {
        throw NodeFailure.invalid("a bias of \(host.sizes) for \(outputs) outputs")
      }
      values = try host.reshaped([host.count]).expanded(to: [outputs])
    }
    return try call.dense(input, weights, isTransposed: isTransposed, bias: values)
  }

  /// A value with its last two axes exchanged.
  private static func turned(_ value: FileValue, _ isTurned: Bool) throws -> FileValue {
    let rank = value.sizes.count
    guard isTurned, rank >= 2 else { return value }
    let order = Array(0..<(rank - 2)) + [rank - 1, rank - 2]
    return try value.transposed(order)
  }
}
