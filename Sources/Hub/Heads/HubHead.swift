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
  /// A vector of a text that can be compared with those of pictures: `text_embeds`, [1][numbers];
  /// of CLIP.
  case embedding

  /// The name of the output.
  public var outputName: String {
    switch self {
    case .features: "last_hidden_state"
    case .embedding: "text_embeds"
    case .sequenceClassification, .tokenClassification, .nextToken: "logits"
    }
  }

  /// Whether the numbers of the output are those of labels.
  var hasLabels: Bool { self == .sequenceClassification || self == .tokenClassification }

  /// The head of a class of the library; `nil` for one that Forge does not have.
  init?(className: String) {
    if className.hasSuffix("ForSequenceClassification") {
      self = .sequenceClassification
    } else if className.hasSuffix("ForTokenClassification") {
      self = .tokenClassification
    } else if className.hasSuffix("ForCausalLM") || className.hasSuffix("LMHeadModel") {
      self = .nextToken
    } else if className == "CLIPModel" || className.hasSuffix("WithProjection") {
      self = .embedding
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
