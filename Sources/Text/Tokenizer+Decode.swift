extension Tokenizer {
  /// The text of tokens.
  ///
  /// - Parameters:
  ///   - ids: the ids of the tokens; those that are not of the vocabulary are left out.
  ///   - skipsSpecial: whether special tokens such as [CLS] are left out.
  /// - Returns: the text, as the decoder of the tokenizer makes it.
  /// - Throws: ``TokenizerError``: `tooManySteps`; `invalidToken` for a SentencePiece model and an
  ///   id that is not there.
  public func decode(
    _ ids: [Int32], skipsSpecial: Bool = true
  ) throws(TokenizerError) -> String {
    if let sentencePiece = core.sentencePiece { return try sentencePiece.decode(ids, core) }
    var tokens: [String] = []
    tokens.reserveCapacity(ids.count)
    for id in ids {
      guard let text = core.text(of: id), !skipsSpecial || !core.added.isSpecial(text) else {
        continue
      }
      tokens.append(text)
    }
    guard let decoder = core.decoder else { return tokens.joined(separator: " ") }
    return try decoder.decode(tokens).joined()
  }

  /// A decoder of tokens that arrive one by one.
  ///
  /// - Parameter skipsSpecial: whether special tokens are left out.
  /// - Returns: a decoder that has seen no token.
  public func decodeStream(skipsSpecial: Bool = true) -> DecodeStream {
    DecodeStream(self, skipsSpecial: skipsSpecial)
  }
}

/// Makes text of tokens that arrive one by one.
///
/// A token that ends within a character returns no text; the token that completes the character
/// returns all of it.
///
/// ```
/// var stream = tokenizer.decodeStream()
/// for id in ids {
///   if let text = try stream.append(id) { print(text, terminator: "") }
/// }
/// print(stream.finish())
/// ```
public struct DecodeStream: Sendable {
  private let tokenizer: Tokenizer
  private let skipsSpecial: Bool
  /// The last tokens, as many as what comes next may depend on.
  private var ids: [Int32] = []
  /// The text of the tokens before the last ones, which was given out.
  private var prefix = ""
  private var prefixCount = 0
  /// A token for which no text comes is forgotten after this many others.
  private static let mostHeld = 64

  init(_ tokenizer: Tokenizer, skipsSpecial: Bool) {
    (self.tokenizer, self.skipsSpecial) = (tokenizer, skipsSpecial)
  }

  /// Adds a token.
  ///
  /// - Parameter id: the id of the token.
  /// - Returns: the text that is new, or `nil` while a character is incomplete.
  /// - Throws: ``TokenizerError`` as ``Tokenizer/decode(_:skipsSpecial:)``.
  public mutating func append(_ id: Int32) throws(TokenizerError) -> String? {
    if prefix.isEmpty, !ids.isEmpty {
      let text = try tokenizer.decode(ids, skipsSpecial: skipsSpecial)
      if !Self.isIncomplete(text) { (prefix, prefixCount) = (text, ids.count) }
    }
    ids.append(id)
    let text = try tokenizer.decode(ids, skipsSpecial: skipsSpecial)
    let isHeld = Self.isIncomplete(text) && ids.count - prefixCount < Self.mostHeld
    guard text.utf8.count > prefix.utf8.count, !isHeld else { return nil }
    guard text.utf8.starts(with: prefix.utf8) else {
      // The decoder took back what it gave: what differs is given as it is now.
      defer { reset(text) }
      return text
    }
    let new = String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    let kept = ids.count - prefixCount
    ids.removeFirst(prefixCount)
    prefix = try tokenizer.decode(ids, skipsSpecial: skipsSpecial)
    prefixCount = kept
    return new
  }

  /// The text that was held back, with U+FFFD for what is incomplete.
  ///
  /// - Returns: the text, empty if nothing was held back.
  public mutating func finish() -> String {
    let text = (try? tokenizer.decode(ids, skipsSpecial: skipsSpecial)) ?? ""
    defer { reset(text) }
    guard text.utf8.starts(with: prefix.utf8) else { return "" }
    return String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  private mutating func reset(_ text: String) { (prefix, prefixCount) = (text, ids.count) }

  private static func isIncomplete(_ text: String) -> Bool {
    text.utf8.suffix(3).elementsEqual("\u{FFFD}".utf8)
  }
}
