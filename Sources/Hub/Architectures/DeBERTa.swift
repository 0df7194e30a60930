import Forge
import ForgeSystem

/// DeBERTa of the second and third version: attention that weighs keys by words and by distances,
/// each with products of its own.
///
/// The score of query `i` and key `j` is `(q(i)·k(j) + q(i)·r(d) + k(j)·s(d)) / √(n·width)`, where
/// `d` is the bucket of `i − j` and `n` the number of terms.
///
/// Source: He and others, DeBERTa, 2020; DeBERTaV3, 2021.
struct DeBERTa: ClassifyingEncoder {
  static let types = ["deberta-v2"]
  static let prefixes = ["deberta."]

  private let sizes: EncoderSizes
  /// The numbers of types in the file, which may have none.
  private let typeCount: Int
  private let width: Int
  private let hasPositions, hasDistances, sharesProducts, normsDistances: Bool
  /// Whether queries see distances, and whether keys do.
  private let queriesSee, keysSee: Bool
  private let buckets, mostDistance: Int
  private let poolerActivation: HubActivation

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions }
  var tokenTypes: Int { max(1, typeCount) }
  /// The distances of each direction that have features of their own.
  private var span: Int { buckets > 0 ? buckets : mostDistance }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits, vocabulary: 128_100, epsilon: 1e-7)
    typeCount = try settings.integer("type_vocab_size", in: 0...1024, default: 0)
    width = try settings.integer(
      "embedding_size", in: 1...max(1, limits.channels), default: sizes.channels)
    hasPositions = try settings.flag("position_biased_input", default: true)
    hasDistances = try settings.flag("relative_attention")
    sharesProducts = try settings.flag("share_att_key")
    poolerActivation = try settings.activation("pooler_hidden_act")
    var names: [String] = []
    if let list = settings["pos_att_type"]?.array {
      names = list.map { $0.text ?? Settings.text(of: $0) }
    } else if let text = try settings.text("pos_att_type") {
      names = text.lowercased().split(separator: "|").map {
        String($0.drop { $0 == " " }.prefix { $0 != " " })
      }
    }
    for name in names where !["c2p", "p2c"].contains(name) {
      throw settings.unsupported("pos_att_type", needs: "c2p, p2c")
    }
    (queriesSee, keysSee) = (names.contains("c2p"), names.contains("p2c"))
    let norm = try settings.text("norm_rel_ebd") ?? "none"
    try settings.require("norm_rel_ebd", "none", "layer_norm")
    normsDistances = norm == "layer_norm"
    let most = try settings.integer(
      "max_relative_positions", in: -1...max(1, limits.positions), default: -1)
    mostDistance = most < 1 ? sizes.positions : most
    let count = try settings.integer(
      "position_buckets", in: -1...max(1, limits.positions), default: -1)
    buckets = max(0, count)
    guard buckets == 0 || (buckets >= 4 && mostDistance > buckets / 2 + 1) else {
      throw .invalid(
        settings.name("position_buckets"), "\(buckets)", in: settings.path,
        needs: "-1, or 4 and more, with distances of more than half of them")
    }
    if let kernel = try settings.integer("conv_kernel_size", in: 0...65_536), kernel > 0 {
      throw settings.unsupported("conv_kernel_size", needs: "0")
    }
    if let headSize = try settings.integer("attention_head_size", in: 1...65_536),
      headSize != sizes.channels / sizes.heads
    {
      throw settings.unsupported(
        "attention_head_size", needs: "\(sizes.channels / sizes.heads)")
    }
    if let poolerSize = try settings.integer("pooler_hidden_size", in: 1...(1 << 30)),
      poolerSize != sizes.channels
    {
      throw settings.unsupported("pooler_hidden_size", needs: "\(sizes.channels)")
    }
  }

  private func norm(_ name: String) -> LayerNormalization {
    LayerNormalization(epsilon: sizes.epsilon, name: name)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x = embeddings(of: inputs)
    let distances = hasDistances && (queriesSee || keysSee) ? Distances(self, inputs) : nil
    for layer in 0..<sizes.layers {
      let name = "encoder.layer.\(layer)"
      let attended = attention(x, inputs.visible, distances, "\(name).attention.self")
      let a =
        x + (attended --> LastAxisDense(neurons: channels, name: "\(name).attention.output.dense"))
        --> norm("\(name).attention.output.LayerNorm")
      let expanded = sizes.activation.rest(
        a
          --> LastAxisDense(
            neurons: sizes.hidden, activation: sizes.activation.fused,
            name: "\(name).intermediate.dense"))
      x =
        a + (expanded --> LastAxisDense(neurons: channels, name: "\(name).output.dense"))
        --> norm("\(name).output.LayerNorm")
    }
    return x
  }

  private func embeddings(of inputs: TextInputs) -> Tensor {
    var x =
      inputs.ids
      --> Embedding(vocabulary: vocabulary, channels: width, name: "embeddings.word_embeddings")
    if hasPositions {
      x =
        x
        --> PositionalEncoding(
          .learned(maximumLength: positions), name: "embeddings.position_embeddings")
    }
    if typeCount > 0 {
      let types = inputs.types ?? Constant([0], shape: [1])
      x =
        x
        + (types
          --> Embedding(
            vocabulary: typeCount, channels: width, name: "embeddings.token_type_embeddings"))
    }
    if width != channels {
      x = x --> LastAxisDense(neurons: channels, useBias: false, name: "embeddings.embed_proj")
    }
    x = x --> norm("embeddings.LayerNorm")
    return inputs.mask.map { x * ($0 --> ExpandDims(axes: [1])) } ?? x
  }

  /// What all layers know of distances.
  private struct Distances {
    /// The features of each distance, [2 · span][channels].
    let features: Tensor
    /// The place among them for each query and key, [heads][length][length].
    let queryPlaces: Tensor
    /// The same for each key and query.
    let keyPlaces: Tensor

    init(_ network: DeBERTa, _ inputs: TextInputs) {
      let span = network.span
      let features =
        Constant((0..<2 * span).map { Float($0) }, shape: [2 * span])
        --> Embedding(
          vocabulary: 2 * span, channels: network.channels, name: "encoder.rel_embeddings")
      self.features =
        network.normsDistances ? features --> network.norm("encoder.LayerNorm") : features
      let most = inputs.maximumLength - 1
      let table = (-most...most).map { Float(network.place(ofDistance: -$0)) }
      // Keys less queries, counted from 0.
      let places =
        [
          Constant(table, shape: [2 * most + 1]), inputs.distances + Float(most),
        ] --> GatherRows(axis: 0)
      let heads = Constant(
        [Float](repeating: 0, count: network.sizes.heads), shape: [network.sizes.heads, 1, 1])
      queryPlaces = heads + (places --> ExpandDims(axes: [0]))
      keyPlaces = queryPlaces --> Permute(order: [0, 2, 1])
    }
  }

  /// The place of a query's number less that of the key among the features of distances.
  func place(ofDistance distance: Int) -> Int {
    var bucket = distance
    let middle = buckets / 2
    if buckets > 0, abs(distance) > middle {
      // In single precision, as the library computes it.
      let ratio =
        logf(Float(abs(distance)) / Float(middle))
        / logf(Float(Double(mostDistance - 1) / Double(middle)))
      let size = Int((ratio * Float(middle - 1)).rounded(.up)) + middle
      bucket = distance < 0 ? -size : size
    }
    return min(max(0, bucket + span), 2 * span - 1)
  }

  private func attention(
    _ x: Tensor, _ mask: Tensor?, _ distances: Distances?, _ name: String
  ) -> Tensor {
    func product(_ x: Tensor, _ part: String) -> Tensor {
      x --> LastAxisDense(neurons: channels, name: "\(name).\(part)")
    }
    let (queries, keys) = (product(x, "query_proj"), product(x, "key_proj"))
    let terms = 1 + (queriesSee ? 1 : 0) + (keysSee ? 1 : 0)
    let scale = 1 / Float(channels / sizes.heads * terms).squareRoot()
    var bias: Tensor?
    if let distances {
      /// The products of tokens and distances, at the distances of the others.
      func part(
        _ tokens: Tensor, _ products: String, _ separateName: String, _ places: Tensor
      ) -> Tensor {
        let rows = product(distances.features, sharesProducts ? products : separateName)
        let scores = [headRows(tokens), headRows(rows)] --> MatMul(transposeB: true)
        return [scores, places] --> GatherElements(axis: -1)
      }
      if queriesSee {
        bias = part(queries, "key_proj", "pos_key_proj", distances.queryPlaces)
      }
      if keysSee {
        let seen =
          part(keys, "query_proj", "pos_query_proj", distances.keyPlaces)
          --> Permute(order: [0, 2, 1])
        bias = bias.map { $0 + seen } ?? seen
      }
      bias = bias.map { $0 * scale }
    }
    if let mask {
      // A query that is padding sees all keys alike, as in the library.
      let hidden = (mask * (mask --> Permute(order: [1, 0])) - 1) * 1e30
      bias = bias.map { $0 + hidden } ?? hidden
    }
    let attention = ScaledDotProductAttention(
      heads: sizes.heads, scale: scale, mask: bias == nil ? .none : .added)
    return [queries, keys, product(x, "value_proj")] + [bias].compactMap(\.self) --> attention
  }

  /// The rows of each head, [heads][rows][width].
  private func headRows(_ x: Tensor) -> Tensor {
    x --> Reshape(to: [-1, sizes.heads, channels / sizes.heads]) --> Permute(order: [1, 0, 2])
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { TensorPlace(spec) }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    poolerActivation.rest(
      first
        --> LastAxisDense(
          neurons: channels, activation: poolerActivation.fused, name: "pooler.dense"))
      --> LastAxisDense(neurons: labels, name: "classifier")
  }
}
