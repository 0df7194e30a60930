import ForgeSystem

/// Makes tokens of texts, and texts of tokens, as the library `tokenizers` of Hugging Face does.
///
/// ```
/// let tokenizer = try Tokenizer(contentsOf: "all-MiniLM-L6-v2/tokenizer.json")
/// let encoding = try tokenizer.encode("Hello, world!")
/// print(encoding.tokens)   // ["[CLS]", "hello", ",", "world", "!", "[SEP]"]
/// print(try tokenizer.decode(encoding.ids))
/// ```
///
/// A tokenizer is immutable: all threads can use it at a time. Ids and offsets are those of the
/// library; Docs/Text.md says how this is checked and what is not supported.
public struct Tokenizer: Sendable {
  /// How encodings are cut; `nil` for not at all.
  public var truncation: TokenTruncation?
  /// How encodings are filled up; `nil` for not at all.
  public var padding: TokenPadding?

  let core: TokenizerCore

  init(_ core: TokenizerCore, truncation: TokenTruncation? = nil, padding: TokenPadding? = nil) {
    (self.core, self.truncation, self.padding) = (core, truncation, padding)
  }

  /// The number of tokens, with added ones.
  public var vocabularySize: Int {
    let table = core.model.table
    return table.count
      + core.added.byID.values.count { table.index(of: Array($0.content.utf8)) == nil }
  }

  /// The added tokens, in the order of their ids.
  public var addedTokens: [AddedToken] { core.added.byID.values.sorted { $0.id < $1.id } }

  /// The id of a token.
  ///
  /// - Parameter token: the token as the vocabulary has it.
  /// - Returns: the id, or `nil` for a text that is not a token.
  public func id(of token: String) -> Int32? {
    let bytes = Array(token.utf8)
    return core.added.id(of: bytes) ?? core.model.table.id(of: bytes)
  }

  /// The token with an id.
  ///
  /// - Parameter id: the id.
  /// - Returns: the token as the vocabulary has it, or `nil` for an id that is not there.
  public func token(_ id: Int32) -> String? { core.text(of: id) }
}

/// The parts of a tokenizer, which all its copies share.
final class TokenizerCore: Sendable {
  let normalizer: (any Normalizer)?
  let preTokenizer: (any PreTokenizer)?
  let model: any TokenModel
  let postProcessor: (any PostProcessor)?
  let decoder: (any TokenDecoder)?
  let added: AddedTokens
  let limits: TokenizerLimits
  /// What a SentencePiece model does in its own way; `nil` for any other tokenizer.
  let sentencePiece: SentencePieceText?
  /// The tokens as texts, by their number.
  private let names: [String]
  private let numbers: IdTable
  private let spares = ForkSafe<[Workspace]>([])

  init(
    normalizer: (any Normalizer)? = nil, preTokenizer: (any PreTokenizer)? = nil,
    model: any TokenModel, postProcessor: (any PostProcessor)? = nil,
    decoder: (any TokenDecoder)? = nil, added: AddedTokens = AddedTokens(),
    sentencePiece: SentencePieceText? = nil, limits: TokenizerLimits
  ) {
    (self.normalizer, self.preTokenizer, self.model) = (normalizer, preTokenizer, model)
    (self.postProcessor, self.decoder, self.added) = (postProcessor, decoder, added)
    (self.sentencePiece, self.limits) = (sentencePiece, limits)
    let table = model.table
    names = (0..<table.count).map { String(decoding: table.token($0), as: UTF8.self) }
    numbers = IdTable(table)
  }

  /// The text of a token of the model.
  @inline(__always)
  func name(_ id: Int32) -> String? { numbers.index(of: id).map { names[$0] } }

  /// The text of a token, added or not.
  func text(of id: Int32) -> String? { added.text(of: id) ?? name(id) }

  // MARK: Memory

  /// Calls a closure with memory that is used again; each thread has its own.
  func withWorkspace<Result>(
    _ body: (Workspace) throws(TokenizerError) -> Result
  ) throws(TokenizerError) -> Result {
    let spare = spares.withLock { $0.popLast() }
    let workspace = spare ?? Workspace()
    defer { spares.withLock { if $0.count < 64 { $0.append(workspace) } } }
    return try body(workspace)
  }
}

/// The memory of one thread that encodes.
///
/// `@unchecked Sendable`: it is passed on, never shared.
final class Workspace: @unchecked Sendable {
  var scratch = ModelScratch()
  var cache = WordCache()
  var tokens: [RawToken] = []
}
