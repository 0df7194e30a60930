/// The result of a ``Transcriber``.
public struct Transcript: Sendable, Hashable {
  /// The text.
  public let text: String
  /// The tokens of the text, without the one that ends it.
  public let ids: [Int32]
  /// The code of the language, such as `en`; `nil` for a network of one language.
  public let language: String?
}
