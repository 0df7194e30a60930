import Forge

/// Attention without dense layers: scores are products, or sums of tanh, of queries and keys.
enum KerasScoreAttention {
  static let classes: [KerasClass] = [
    .dropping("Attention", build: attention),
    .dropping("AdditiveAttention", build: additive),
  ]

  /// What is subtracted from the scores of hidden keys, as Keras does it.
  private static let hidden: Float = -1e9

  /// How the scores of queries and keys are computed.
  private enum Scores: Sendable {
    /// `scale · q·k`.
    case product(scale: Float)
    /// `weight · Σ factor · tanh(scale · (q + k))`, the factors one or one for each channel.
    case tanh(scale: Float, factors: [Float])
  }

  private static func attention(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let isScaled = try layer.config.flag("use_scale", default: false)
    let scale = isScaled ? try layer.file.values.floats("scale", number: 0, of: layer) : [1]
    guard let scale = scale.first, layer.generation > 1 else { throw .unsupported(nil) }
    switch try layer.config.text("score_mode", default: "dot") {
    case "dot": return step(.product(scale: scale))
    case "concat":
      let weight = try layer.file.values.floats(
        "concat_score_weight", number: isScaled ? 1 : 0, of: layer)
      return step(.tanh(scale: scale, factors: weight))
    case let other: throw .unsupported("score_mode \"\(other.prefix(20))\"")
    }
  }

  private static func additive(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let isScaled = try layer.config.flag("use_scale", default: true)
    let factors = isScaled ? try layer.file.values.floats("scale", number: 0, of: layer) : [1]
    return step(.tanh(scale: 1, factors: factors))
  }

  private static func step(_ scores: Scores) -> KerasStep {
    .one { call throws(KerasFault) in
      let arguments = try KerasArguments(
        call,
        parameters: ["inputs", "mask", "training", "return_attention_scores", "use_causal_mask"])
      try arguments.refuse("return_attention_scores")
      try arguments.refuseTraining(of: call.layer)
      guard 2...3 ~= call.inputs.count, call.inputs.allSatisfy({ $0.rank == 2 }) else {
        throw .invalid(
          "the attention takes a query, a value and optionally a key, each a sequence",
          received: call.inputs.map { "\($0.rank) axes" }.joined(separator: ", "))
      }
      let (query, value) = (call.inputs[0], call.inputs[1])
      let key = call.inputs.count == 3 ? call.inputs[2] : value
      let queryMask = try mask(0, call)
      var (added, isCausal) = (
        try mask(1, call).map { tensor throws(KerasFault) in
          try call.apply(
            Reshape(to: [1, -1]), to: try call.apply(Compare(.equal, than: [0]), to: tensor))
        }, try arguments.flag("use_causal_mask")
      )
      if isCausal, let mask = added {
        guard let later = try KerasAttentionMask.later(query, key, call) else {
          throw .unsupported("a mask and use_causal_mask of a sequence whose length varies")
        }
        added = try call.apply(Maximum(), to: mask, later)
        isCausal = false
      }
      if let mask = added { added = try call.apply(Multiply(constant: [hidden]), to: mask) }
      var result = try means(scores, query, key, value, added, isCausal: isCausal, call)
      if let queryMask {
        // Masked queries have 0, whatever their means are.
        let column = try KerasMask.column(queryMask, call)
        let zero = try call.apply(Constant([0], shape: Shape(sizes: [1, 1])), to: [])
        result = try call.apply(Where(), to: [column, result, zero])
      }
      return KerasTensor(
        tensor: try call.apply(Identity(name: call.name), to: result), rank: 2, mask: queryMask)
    }
  }

  /// The mask of the queries or of the values: that of the call, or the tensor's own.
  private static func mask(_ index: Int, _ call: KerasCall) throws(KerasFault) -> Tensor? {
    let stated = call.keywords["mask"] ?? call.arguments.dropFirst().first
    guard let stated, !stated.isNull else { return call.inputs[index].mask }
    guard case .list(let masks) = stated, masks.indices.contains(index) else {
      throw .unsupported("a mask that is not a list")
    }
    switch masks[index] {
    case .tensor(let tensor):
      guard tensor.rank == 1 else { throw .unsupported("a mask of \(tensor.rank) axes") }
      return try call.apply(Reshape(to: [-1]), to: tensor.tensor)
    case let value where value.isNull: return nil
    default: throw .unsupported("a mask that is not a tensor of the model")
    }
  }

  /// The means of the values with the softmax of the scores.
  private static func means(
    _ scores: Scores, _ query: KerasTensor, _ key: KerasTensor, _ value: KerasTensor,
    _ mask: Tensor?, isCausal: Bool, _ call: KerasCall
  ) throws(KerasFault) -> Tensor {
    switch scores {
    case .product(let scale):
      let attention = ScaledDotProductAttention(
        heads: 1, scale: scale, isCausal: isCausal, mask: mask == nil ? .none : .added)
      return try call.apply(
        attention, to: [query.tensor, key.tensor, value.tensor] + (mask.map { [$0] } ?? []))
    case .tanh(let scale, let factors):
      let (queries, keys) = (
        try query.knownSizes("known sizes of an attention"),
        try key.knownSizes("known sizes of an attention")
      )
      let rows = try call.apply(
        query.tensor.reshape(to: [queries[0], 1, queries[1]]), to: query.tensor)
      let columns = try call.apply(
        key.tensor.reshape(to: [1, keys[0], keys[1]]), to: key.tensor)
      var sum = try call.apply(Add(), to: rows, columns)
      if scale != 1 { sum = try call.apply(Multiply(constant: [scale]), to: sum) }
      let curve = try call.apply(Activation(.tanh), to: sum)
      let weighted = try call.apply(Multiply(constant: factors), to: curve)
      var all = try call.apply(Reduce(.sum, axes: [2]), to: weighted)
      if isCausal {
        guard let later = try KerasAttentionMask.later(query, key, call) else {
          throw .unsupported("use_causal_mask of these sizes")
        }
        all = try call.apply(
          Add(), to: all, try call.apply(Multiply(constant: [hidden]), to: later))
      }
      if let mask { all = try call.apply(Add(), to: all, mask) }
      return try call.apply(MatMul(), to: try call.apply(Softmax(), to: all), value.tensor)
    }
  }
}
