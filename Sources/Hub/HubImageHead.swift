/// What a network of the Hub returns for a picture.
public enum HubImageHead: String, Hashable, Sendable, CaseIterable {
  /// A vector for the picture and for each patch: `last_hidden_state`, [1 + patches][channels], and
  /// for most networks `pooler_output`, [1][channels].
  case features
  /// A number for each label: `logits`, [1][labels].
  case classification
  /// A vector that can be compared with those of texts: `image_embeds`, [1][numbers]; of CLIP.
  case embedding

  /// The head of a class of the library; `nil` for one that Forge does not have.
  init?(className: String) {
    if className.hasSuffix("ForImageClassification") {
      self = .classification
    } else if className == "CLIPModel" || className.hasSuffix("WithProjection") {
      self = .embedding
    } else if className.hasSuffix("Model") || className.hasSuffix("ForMaskedImageModeling") {
      self = .features
    } else {
      return nil
    }
  }
}
