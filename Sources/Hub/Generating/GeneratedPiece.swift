/// A part of a text that a ``Generator`` writes.
public struct GeneratedPiece: Sendable, Hashable, CustomStringConvertible {
  /// Why a text ended.
  public enum Ending: String, Sendable, Hashable, CaseIterable {
    /// The network chose a token that ends texts.
    case endOfText
    /// One of the texts of ``GenerationOptions/stopTexts`` came.
    case stopText
    /// The text has as many tokens as ``GenerationOptions/maximumTokens``.
    case maximumTokens
    /// Prompt and text have as many tokens as the network takes.
    case maximumLength
  }

  /// The text, of whole characters; it may be empty in the last piece.
  public let text: String
  /// The tokens since the piece before, with the one that ends the text.
  public let ids: [Int32]
  /// Why the text ended; `nil` in all pieces but the last.
  public let ending: Ending?

  /// The text.
  public var description: String { text }
}
