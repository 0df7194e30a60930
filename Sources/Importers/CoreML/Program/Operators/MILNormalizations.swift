import Forge

extension MILOperators {
  /// Normalizations and softmax.
  static let normalizations: [String: Operation] = [
    "softmax": { try $0.map("Softmax", ["axis": .int(try $0.int("axis", -1))]) },
    "batch_norm": { call in
      let mean = try call.value("mean")
      let inputs = [
        try call.value(), try parameter(call, "gamma", 1, mean.sizes),
        try parameter(call, "beta", 0, mean.sizes), mean, try call.value("variance"),
      ]
      let epsilon = try call.float("epsilon", 1e-5)
      call.set(try call.node("BatchNormalization", inputs, ["epsilon": .float(epsilon)]))
    },
    "instance_norm": { call in
      let input = try call.value()
      guard input.sizes.count >= 3 else { throw NodeFailure.invalid("a tensor \(input.sizes)") }
      let channels = [input.sizes[1]]
      let inputs = [
        input, try parameter(call, "gamma", 1, channels), try parameter(call, "beta", 0, channels),
      ]
      let epsilon = try call.float("epsilon", 1e-5)
      call.set(try call.node("InstanceNormalization", inputs, ["epsilon": .float(epsilon)]))
    },
    "layer_norm": layerNormalize,
    "l2_norm": { call in
      // The norm of channels, rows and columns together.
      let input = try call.value()
      let squares = try call.node(
        "ReduceSumSquare", [input], ["axes": .ints([-3, -2, -1]), "keepdims": .int(1)])
      let epsilon = FileValue.number(try call.float("epsilon", 1e-6))
      let root = try call.node("Sqrt", [try call.node("Add", [squares, epsilon])])
      call.set(try call.node("Div", [input, root]))
    },
    "local_response_norm": { call in
      let attributes: [String: NodeAttribute] = [
        "size": .int(try call.int("size")), "alpha": .float(try call.float("alpha", 1e-4)),
        "beta": .float(try call.float("beta", 0.75)), "bias": .float(try call.float("k", 1)),
      ]
      try call.map("LRN", attributes)
    },
  ]

  /// A parameter, or one number for all channels if it is left out.
  private static func parameter(
    _ call: MILCall, _ key: String, _ absent: Float, _ sizes: [Int]
  ) throws -> FileValue {
    try call.optional(key)
      ?? .host(HostTensor(type: .float32, sizes: sizes, storage: .repeated(absent)))
  }

  private static func layerNormalize(_ call: inout MILCall) throws {
    let input = try call.value()
    let rank = input.sizes.count
    let axes = try (try call.ints("axes") ?? Array(0..<rank)).map {
      try ONNXCall.axis($0, rank: rank)
    }.sorted()
    guard Set(axes).count == axes.count, !axes.isEmpty else {
      throw NodeFailure.invalid("axes \(axes)")
    }
    // ONNX normalizes the last axes; a transposition of a value only changes its layout.
    let kept = (0..<rank).filter { !axes.contains($0) }
    let order = kept + axes
    let isLast = order == Array(0..<rank)
    let (gamma, beta) = (try call.optional("gamma"), try call.optional("beta"))
    let attributes: [String: NodeAttribute] = [
      "axis": .int(rank - axes.count), "epsilon": .float(try call.float("epsilon", 1e-5)),
    ]
    guard !isLast, case .network(let tensor) = input else {
      guard isLast else { throw NodeFailure.unsupported("a known tensor") }
      call.set(try call.node("LayerNormalization", [input, gamma, beta], attributes))
      return
    }
    let moved = FileValue.network(try tensor.transposed(order))
    let normal = try call.node("LayerNormalization", [moved, gamma, beta], attributes)
    let back = (0..<rank).map { axis in order.firstIndex(of: axis) ?? axis }
    call.set(try call.node("Transpose", [normal], ["perm": .ints(back)]))
  }
}
