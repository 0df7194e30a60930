import Forge

/// The network of all-MiniLM-L6-v2: six blocks of a transformer, which read a whole sentence at
/// once.
///
/// Token ids become vectors of 384 numbers; the mean over all tokens, scaled to length 1, is the
/// sentence's embedding. Sentences of like meaning have embeddings of a small angle.
struct SentenceNetwork {
  /// The numbers of an embedding.
  static let channels = 384
  /// The largest number of tokens that has positions.
  static let maximumPositions = 512

  /// The number of token ids.
  let vocabulary: Int

  /// The network for sentences of up to ``maximumPositions`` tokens.
  var model: Model {
    let ids = Input(shape: [.upTo(Self.maximumPositions)], name: "ids")
    let words = ids --> Embedding(vocabulary: vocabulary, channels: Self.channels, name: "words")
    // The network was trained on pairs, too: tokens of the second sentence would be of type 1.
    let type =
      Constant([0], shape: [1]) --> Embedding(vocabulary: 2, channels: Self.channels, name: "types")
    var x =
      words + type
      --> PositionalEncoding(.learned(maximumLength: Self.maximumPositions), name: "positions")
      --> LayerNormalization(epsilon: 1e-12, name: "norm")
    for number in 1...6 {
      let block = TransformerEncoder(
        heads: 12, hidden: 4 * Self.channels, activation: .gelu, epsilon: 1e-12, form: .joined)
      x = x --> block.named("block\(number)")
    }
    return Model(input: ids, output: x --> GlobalAveragePooling1D() --> L2Normalize())
  }
}
