import Forge

/// Functions of `keras.ops` along axes: variances, norms, normalizations and attention.
enum KerasStatistics {
  static let functions: [KerasFunction] = [
    KerasNodes.one("var", "reduce_variance") { try variance($0) },
    KerasNodes.one("std", "reduce_std") { try $0("Sqrt", try variance($0)) },
    KerasNodes.one("norm", body: norm), KerasNodes.one("normalize", body: normalize),
    KerasFunction("layer_norm", "layer_normalization", activation: .none, build: layerNorm),
    KerasNodes.one("rms_norm", "rms_normalization", body: rootMeanSquare),
    KerasFunction("dot_product_attention", activation: .none, build: attention),
  ]

  private static func keepsAxes(_ nodes: KerasNodes, at position: Int) throws -> NodeAttribute {
    .flag(try nodes.call.flag(nodes.call.value("keepdims", at: position), default: false))
  }

  /// The mean of `(x − mean)²`.
  private static func variance(_ nodes: KerasNodes) throws -> FileValue {
    let x = try nodes.first()
    let axes = NodeAttribute.ints(try nodes.axes(x.rank))
    let mean = try nodes("ReduceMean", .network(x), with: ["axes": axes, "keepdims": .int(1)])
    let difference = try nodes("Sub", .network(x), mean)
    return try nodes(
      "ReduceMean", try nodes("Mul", difference, difference),
      with: ["axes": axes, "keepdims": try keepsAxes(nodes, at: 2)])
  }

  /// The norm of vectors.
  private static func norm(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let axes = try nodes.axes(x.rank, at: 2)
    guard axes.count == 1 else { throw NodeFailure.unsupported("the norm of matrices") }
    let attributes: [String: NodeAttribute] = [
      "axes": .ints(axes), "keepdims": try keepsAxes(nodes, at: 3),
    ]
    switch call.value("ord", at: 1)?.json {
    case nil: return try nodes("ReduceL2", .network(x), with: attributes)
    case let json? where json.float == 2 || json.text == "fro":
      return try nodes("ReduceL2", .network(x), with: attributes)
    case let json? where json.float == 1:
      return try nodes("ReduceL1", .network(x), with: attributes)
    case let json? where json.float == .infinity || json.text == "inf":
      return try nodes("ReduceMax", try nodes("Abs", .network(x)), with: attributes)
    case let json?: throw NodeFailure.unsupported("ord \(json.summary)")
    }
  }

  /// `x · min(1 / ‖x‖, 1 / ε)`.
  private static func normalize(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let axis = try nodes.axis(x.rank, default: -1)
    let epsilon = try call.number(call.value("epsilon", at: 3)) ?? 1e-7
    let attributes: [String: NodeAttribute] = ["axes": .ints([axis]), "keepdims": .int(1)]
    switch try call.integer(call.value("order", at: 2), default: 2) {
    case 1:
      let norm = try nodes("ReduceL1", .network(x), with: attributes)
      return try nodes("Div", .network(x), try nodes("Max", norm, FileValue.number(epsilon)))
    case 2:
      let norm = try nodes("ReduceL2", .network(x), with: attributes)
      let inverse = try nodes("Reciprocal", norm)
      let bounded = try nodes("Min", inverse, FileValue.number(1 / epsilon))
      return try nodes("Mul", .network(x), bounded)
    case let order: throw NodeFailure.unsupported("order \(order)")
    }
  }

  private static func rootMeanSquare(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let axis = try nodes.axis(x.rank, at: 2, default: -1)
    let epsilon = try call.number(call.value("epsilon", at: 3)) ?? 1e-7
    let mean = try nodes(
      "ReduceMean", try nodes("Mul", .network(x), .network(x)),
      with: ["axes": .ints([axis]), "keepdims": .int(1)])
    let root = try nodes("Sqrt", try nodes("Add", mean, FileValue.number(epsilon)))
    let result = try nodes("Div", .network(x), root)
    guard let scale = call.value("scale", at: 1) else { return result }
    let factors = try nodes.operand(scale, "scale")
    try nodes.checkBroadcast([result, factors])
    guard axis == x.rank - 1 else { throw NodeFailure.unsupported("scale along axis \(axis)") }
    return try nodes("Mul", result, factors)
  }

  private static func layerNorm(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      guard case .tensor(let input)? = call.value("x", at: 0) else {
        throw .unsupported("numbers in place of a tensor of the model")
      }
      let axis = try call.integer(call.value("axis", at: 3), default: -1)
      let epsilon = try call.number(call.value("epsilon", at: 4)) ?? 1e-7
      let factors = [call.value("gamma", at: 1), call.value("beta", at: 2)]
      let forgeAxis = try input.axis(axis)
      let isLast = forgeAxis == (input.rank == 1 ? 2 : input.rank - 1)
      guard isLast || factors.allSatisfy({ $0 == nil }) else {
        throw .unsupported("gamma or beta along axis \(axis)")
      }
      var result = try call.apply(
        LayerNormalization(axes: [forgeAxis], epsilon: epsilon, center: false, scale: false),
        to: input.tensor)
      for (factor, isScale) in zip(factors, [true, false]) {
        guard let factor else { continue }
        guard let (sizes, numbers) = factor.json?.numbers, sizes.count == 1 else {
          throw .unsupported("gamma or beta that is not made of numbers")
        }
        result =
          isScale
          ? try call.apply(Multiply(constant: numbers), to: result)
          : try call.apply(Add(constant: numbers), to: result)
      }
      return KerasTensor(
        tensor: try call.apply(Identity(name: call.name), to: result), rank: input.rank)
    }
  }

  /// Attention of [positions][heads][channels].
  private static func attention(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      var tensors: [KerasTensor] = []
      for (position, name) in ["query", "key", "value"].enumerated() {
        guard case .tensor(let tensor)? = call.value(name, at: position), tensor.rank == 3 else {
          throw .unsupported("\(name) of other axes than positions, heads and channels")
        }
        tensors.append(tensor)
      }
      for (name, position) in [("bias", 3), ("mask", 4)] where call.value(name, at: position) != nil
      {
        throw .unsupported("\(name) of an operation")
      }
      let scale = try call.number(call.value("scale", at: 5))
      let isCausal = try call.flag(call.value("is_causal", at: 6), default: false)
      // Which kernel Keras takes changes nothing.
      _ = call.value("flash_attention", at: 7)
      guard call.value("attn_logits_soft_cap", at: 8) == nil else {
        throw .unsupported("attn_logits_soft_cap of an operation")
      }
      var (operands, sizes): ([Tensor], [[Int]]) = ([], [])
      for tensor in tensors {
        let tensorSizes = try tensor.knownSizes("known sizes of an attention")
        sizes.append(tensorSizes)
        operands.append(
          try call.apply(
            tensor.tensor.reshape(to: [
              tensorSizes[0], tensorSizes[1].multipliedSaturated(by: tensorSizes[2]),
            ]),
            to: tensor.tensor))
      }
      let attention = ScaledDotProductAttention(
        heads: sizes[0][1], keyValueHeads: sizes[1][1], scale: scale, isCausal: isCausal)
      let means = try call.apply(attention, to: operands)
      let result = try call.apply(
        means.reshape(to: [sizes[0][0], sizes[0][1], sizes[2][2]], name: call.name), to: means)
      return KerasTensor(tensor: result, rank: 3)
    }
  }
}
