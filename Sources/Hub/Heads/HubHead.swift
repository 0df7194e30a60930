/// What a network of the Hub returns for a text.
public enum HubHead: String, Hashable, Sendable, CaseIterable {
  /// A vector for each token: `last_hidden_state`, [length][channels].
  case features
  /// A number for each label of a text or a pair of texts: `logits`, [1][labels].
  case sequenceClassification
  /// A number for each label of each token: `logits`, [length][labels].
  case tokenClassification
  /// A number for each id that may follow each token: `logits`, [length][vocabulary]; of decoders.
  case nextToken

  /// The name of the output.
  public var outputName: String { self == .features ? "last_hidden_state" : "logits" }

  /// The head of a class of the library; `nil` for one that Forge does not have.
  init?(className: String) {
    if className.hasSuffix("ForSequenceClassification") {
      self = .sequenceClassification
    } else if className.hasSuffix("ForTokenClassification") {
      self = .tokenClassification
    } else if className.hasSuffix("ForCausalLM") || className.hasSuffix("LMHeadModel") {
      self = .nextToken
    } else if className.hasSuffix("Model") || Self.trained.contains(where: className.hasSuffix) {
      self = .features
    } else {
      return nil
    }
  }

  /// Heads that are left out: what matters is the body that was trained with them.
  private static let trained = [
    "ForMaskedLM", "ForPreTraining", "WithLMHead", "ForNextSentencePrediction",
  ]
}
