import Forge
import ForgeLoaders

/// Attention, whose four dense layers are stored inside of it.
enum KerasAttention {
  static let classes: [KerasClass] = [
    .dropping("MultiHeadAttention", build: multiHead),
    .dropping("GroupQueryAttention", "GroupedQueryAttention", build: grouped),
  ]

  /// The sizes of an attention.
  private struct Sizes: Sendable {
    let heads, groups, keyChannels, valueChannels: Int
  }

  private static func multiHead(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let heads = try config.integer("num_heads")
    let channels = try config.integer("key_dim")
    var valueChannels = channels
    if let stated = config["value_dim"], !stated.isNull {
      valueChannels = try config.integer("value_dim")
    }
    if let axes = try config.integers("attention_axes"), axes != [1] {
      throw .unsupported("attention_axes \(axes)")
    }
    return try step(
      layer,
      Sizes(heads: heads, groups: heads, keyChannels: channels, valueChannels: valueChannels))
  }

  private static func grouped(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let channels = try config.integer("head_dim")
    return try step(
      layer,
      Sizes(
        heads: try config.integer("num_query_heads"),
        groups: try config.integer("num_key_value_heads"), keyChannels: channels,
        valueChannels: channels))
  }

  private static func step(_ layer: KerasLayer, _ sizes: Sizes) throws(KerasFault) -> KerasStep {
    guard try !layer.config.flag("use_gate", default: false) else { throw .unsupported("use_gate") }
    guard layer.config["sliding_window"] == nil else { throw .unsupported("sliding_window") }
    guard sizes.heads > 0, sizes.groups > 0, sizes.keyChannels > 0, sizes.valueChannels > 0 else {
      throw .invalid("the attention is empty", needs: "heads and channels above 0")
    }
    let useBias = try layer.config.flag("use_bias", default: true)
    let outputs = try layer.config.integers("output_shape")
    guard outputs?.count ?? 1 == 1 else { throw .unsupported("output_shape of several axes") }
    return .one { call throws(KerasFault) in
      let arguments = try arguments(call)
      let sources = try sources(arguments)
      let widths = [
        ("query", sizes.heads.multipliedReportingOverflow(by: sizes.keyChannels)),
        ("key", sizes.groups.multipliedReportingOverflow(by: sizes.keyChannels)),
        ("value", sizes.groups.multipliedReportingOverflow(by: sizes.valueChannels)),
      ]
      var operands: [Tensor] = []
      for ((part, width), source) in zip(widths, sources) {
        guard !width.overflow else { throw .unsupported("an attention of this size") }
        let dense = LastAxisDense(
          neurons: width.partialValue, useBias: useBias, name: "\(layer.path)/\(part)")
        operands.append(try call.apply(dense, to: source))
      }
      let mask = try KerasAttentionMask(arguments, call)
      let attention = ScaledDotProductAttention(
        heads: sizes.heads, keyValueHeads: sizes.groups, isCausal: mask.isCausal,
        mask: mask.kind, name: "\(call.name)/attention")
      let means = try call.apply(attention, to: operands + (mask.tensor.map { [$0] } ?? []))
      let channels = sources[0].shape?.dimensions.last.flatMap(\.self)
      guard let count = outputs?.first ?? channels else {
        throw .unsupported("an unknown number of channels")
      }
      let last = LastAxisDense(
        neurons: count, useBias: useBias, name: "\(layer.path)/attention_output")
      let result = try call.apply(last, to: means)
      // The output has the name of the whole layer.
      return KerasTensor(
        tensor: try call.apply(Identity(name: call.name), to: result), rank: 2,
        mask: try arguments.tensor("query")?.mask)
    }
  }

  /// The parameters of the method `call` of both layers.
  private static let parameters = [
    "query", "value", "key", "query_mask", "value_mask", "key_mask", "attention_mask",
    "return_attention_scores", "training", "use_causal_mask",
  ]

  /// The arguments of a call, without those that Forge has no counterpart of.
  private static func arguments(_ call: KerasCall) throws(KerasFault) -> KerasArguments {
    let arguments = try KerasArguments(call, parameters: parameters)
    try arguments.refuse("return_attention_scores")
    try arguments.refuseTraining(of: call.layer)
    return arguments
  }

  /// The tensors of queries, keys and values; the keys are the values if a call has none.
  private static func sources(_ arguments: KerasArguments) throws(KerasFault) -> [Tensor] {
    guard let query = try arguments.tensor("query"), let value = try arguments.tensor("value")
    else {
      throw .invalid("the attention lacks an input", needs: "a query and a value")
    }
    let key = try arguments.tensor("key") ?? value
    for tensor in [query, key, value] where tensor.rank != 2 {
      throw .invalid(
        "the input is not a sequence", received: "\(tensor.rank) axes besides the batch",
        needs: "2")
    }
    return [query.tensor, key.tensor, value.tensor]
  }
}
