import Forge

/// The sizes that the configurations of encoders share.
struct EncoderSizes: Sendable {
  var channels: Int
  var heads: Int
  var layers: Int
  var hidden: Int
  var vocabulary: Int
  var positions: Int
  var activation: HubActivation
  var epsilon: Float

  /// Reads the names of BERT's configuration.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(
    _ settings: Settings, limits: HubLimits, vocabulary: Int = 30_522, positions: Int = 512,
    epsilon: Float = 1e-12
  ) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", in: sizes, default: 768)
    heads = try settings.integer("num_attention_heads", in: 1...4096, default: 12)
    layers = try settings.integer("num_hidden_layers", in: 0...limits.layers, default: 12)
    hidden = try settings.integer("intermediate_size", in: sizes, default: 3072)
    self.vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: vocabulary)
    self.positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: positions)
    activation = try settings.activation("hidden_act")
    self.epsilon = try settings.epsilon("layer_norm_eps", default: epsilon)
    try Self.check(heads: heads, divide: channels, in: settings, "num_attention_heads")
    try Self.refuseDecoders(settings)
  }

  /// Checks that heads share the channels evenly.
  static func check(
    heads: Int, divide channels: Int, in settings: Settings, _ name: String
  ) throws(HubError) {
    guard channels.isMultiple(of: heads) else {
      throw .invalid(
        settings.name(name), "\(heads)", in: settings.path,
        needs: "a divisor of the \(channels) channels")
    }
  }

  /// Refuses what makes a decoder of an encoder, and what is not computed.
  static func refuseDecoders(_ settings: Settings) throws(HubError) {
    try settings.refuse("is_decoder", remedy: "use a network that was trained as an encoder")
    try settings.refuse("add_cross_attention")
    try settings.require("position_embedding_type", "absolute")
    if let pruned = settings["pruned_heads"], pruned.object?.members.isEmpty != true {
      throw settings.unsupported("pruned_heads", needs: "no pruned heads")
    }
  }
}

/// A block that normalizes its sums, as BERT's, under the names of an architecture.
struct SumNormalizedBlock {
  var heads: Int
  var hidden: Int
  var activation: HubActivation
  var epsilon: Float
  var mask: AttentionRule.Mask
  /// The names of the attention, its normalization, the two products and their normalization.
  var attention, norm1, expand, reduce, norm2: String

  /// Builds the block on a tensor and a mask.
  func callAsFunction(_ x: Tensor, _ mask: Tensor?) -> Tensor {
    let channels = x.shape?.dimensions.last.flatMap { $0 } ?? heads
    let attention = MultiHeadAttention(
      heads: heads, keyChannels: max(1, channels / max(1, heads)),
      mask: mask == nil ? .none : self.mask, name: attention)
    let attended = mask.map { [x, $0] --> attention } ?? (x --> attention)
    let a = [x, attended] --> Add() --> LayerNormalization(epsilon: epsilon, name: norm1)
    let b = activation.rest(
      a --> LastAxisDense(neurons: hidden, activation: activation.fused, name: expand))
    let c = b --> LastAxisDense(neurons: channels, name: reduce)
    return [a, c] --> Add() --> LayerNormalization(epsilon: epsilon, name: norm2)
  }
}
