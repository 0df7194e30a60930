import Forge

/// ALBERT: narrow embeddings, and blocks that share their parameters in groups.
///
/// Source: Lan and others, ALBERT, 2019.
struct ALBERT: ClassifyingEncoder {
  static let types = ["albert"]
  static let prefixes = ["albert."]

  private let sizes: EncoderSizes
  private let width, groups, innerGroups: Int
  let tokenTypes: Int

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits, vocabulary: 30_000)
    width = try settings.integer("embedding_size", in: 1...max(1, limits.channels), default: 128)
    groups = try settings.integer("num_hidden_groups", in: 1...max(1, limits.layers), default: 1)
    innerGroups = try settings.integer("inner_group_num", in: 1...max(1, limits.layers), default: 1)
    tokenTypes = try settings.integer("type_vocab_size", in: 1...1024, default: 2)
    guard sizes.layers * innerGroups <= limits.layers else {
      throw .invalid(
        settings.name("inner_group_num"), "\(innerGroups)", in: settings.path,
        needs: "at most \(limits.layers) blocks")
    }
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x =
      BERT.embeddings(of: inputs, sizes, tokenTypes: tokenTypes, width: width)
      --> LastAxisDense(neurons: channels, name: "encoder.embedding_hidden_mapping_in")
    let mask = inputs.visible
    for layer in 0..<sizes.layers {
      let group = layer * groups / sizes.layers
      for inner in 0..<innerGroups {
        let name = "encoder.albert_layer_groups.\(group).albert_layers.\(inner)"
        let block = SumNormalizedBlock(
          heads: sizes.heads, hidden: sizes.hidden, activation: sizes.activation,
          epsilon: sizes.epsilon, mask: .visible, attention: "\(name).attention",
          norm1: "\(name).attention.LayerNorm", expand: "\(name).ffn",
          reduce: "\(name).ffn_output", norm2: "\(name).full_layer_layer_norm")
        x = block(x, mask)
      }
    }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    TensorPlace(spec, query: "query", key: "key", value: "value", output: "dense")
  }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    first
      --> LastAxisDense(neurons: channels, activation: .tanh, name: "pooler")
      --> LastAxisDense(neurons: labels, name: "classifier")
  }
}
