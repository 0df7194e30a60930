import Forge
import ForgeText

/// A text that a ``Generator`` writes, piece by piece, as it is asked for.
///
/// Each iteration writes the text again. The network computes while `next()` waits, on a thread of
/// the generator; a task that is canceled ends the iteration with a `CancellationError`.
public struct GeneratedText: AsyncSequence, Sendable {
  /// A piece of the text.
  public typealias Element = GeneratedPiece

  /// What all iterations share.
  struct Plan: Sendable {
    let networks: WritingNetworks
    let tokenizer: Tokenizer
    let prompt: [Int32]
    let options: GenerationOptions
    let settings: GenerationSettings
    /// The maximum number of tokens of the text and those it begins with.
    let maximumLength: Int
    let path: String
  }

  let plan: Plan

  /// The tokens of the prompt.
  public var promptIDs: [Int32] { plan.prompt }

  /// Begins the text.
  public func makeAsyncIterator() -> Iterator { Iterator(plan) }

  /// The whole text.
  ///
  /// - Returns: the text of all pieces.
  /// - Throws: ``HubError``: `prediction`, `tokenizer`; `CancellationError`.
  public func text() async throws -> String {
    try await reduce(into: "") { $0 += $1.text }
  }

  /// The pieces of a text in their order.
  public struct Iterator: AsyncIteratorProtocol {
    private let plan: Plan
    private var stream: (any LogitStream)?
    private var choice: TokenChoice
    private var decoder: DecodeStream
    private var stops: StopTexts
    /// The tokens that the network has not seen.
    private var unseen: [Int32]
    private var length: Int
    private var count = 0
    private var hasEnded = false

    init(_ plan: Plan) {
      self.plan = plan
      let beginning = plan.networks.beginning(plan.prompt)
      choice = TokenChoice(plan.options, prompt: beginning, banned: plan.settings.banned)
      decoder = plan.tokenizer.decodeStream()
      stops = StopTexts(plan.options.stopTexts)
      unseen = beginning
      length = beginning.count
    }

    /// The next piece.
    ///
    /// - Returns: the piece; `nil` after the last one, which has an ``GeneratedPiece/ending``.
    /// - Throws: ``HubError``: `prediction`, `tokenizer`; `CancellationError`.
    public mutating func next() async throws -> GeneratedPiece? {
      var ids: [Int32] = []
      while !hasEnded {
        do {
          guard let piece = try await step(&ids) else { continue }
          return piece
        } catch {
          hasEnded = true
          throw Self.error(error, plan.path)
        }
      }
      return nil
    }

    /// Adds a token.
    ///
    /// - Returns: a piece, if there is text that can be given out or the text has ended.
    private mutating func step(_ ids: inout [Int32]) async throws -> GeneratedPiece? {
      let isFirst = stream == nil
      let logits = try await logits()
      guard let token = forced ?? choice.next(logits) else {
        throw HubError(
          .prediction, "the network returns no number for the next token", path: plan.path)
      }
      // The decoder sees the prompt, too: whether a space comes first depends on it.
      if isFirst, case .decoder = plan.networks {
        for id in plan.prompt { _ = try decoder.append(id) }
        _ = decoder.finish()
      }
      // The penalty also counts forced tokens.
      choice.add(token)
      (count, length) = (count + 1, length + 1)
      ids.append(token)
      unseen = [token]
      var ending: GeneratedPiece.Ending?
      var text = ""
      if plan.settings.ends.contains(token) {
        ending = .endOfText
      } else {
        (text, hasEnded) = stops.add(try decoder.append(token) ?? "")
        if hasEnded {
          ending = .stopText
        } else if count >= plan.options.maximumTokens {
          ending = .maximumTokens
        } else if length >= plan.maximumLength {
          ending = .maximumLength
        }
      }
      if ending != nil, !hasEnded {
        // Text that was held back may still end with a stop text.
        let (rest, isEnd) = stops.add(decoder.finish())
        text += rest + (isEnd ? "" : stops.finish())
        hasEnded = true
      }
      guard ending != nil || !text.isEmpty else { return nil }
      return GeneratedPiece(text: text, ids: ids, ending: ending)
    }

    /// The logits after the tokens that the network has not seen.
    private mutating func logits() async throws -> [Float] {
      var stream = try self.stream ?? plan.networks.stream(plan.prompt)
      defer { self.stream = stream }
      return try await stream.logits(behind: unseen)
    }

    /// The next token where the network has no choice.
    private var forced: Int32? {
      let isLast =
        count + 1 >= plan.options.maximumTokens || length + 1 >= plan.maximumLength
      if isLast, let token = plan.settings.forcedLast { return token }
      return count == 0 ? plan.settings.forcedFirst : nil
    }

    /// The error as callers see it.
    private static func error(_ error: any Error, _ path: String) -> any Error {
      switch error {
      case let error as RunnerError where error.kind == .cancelled: CancellationError()
      case let error as TokenizerError: HubError.tokenizer(error, path)
      case is HubError, is CancellationError: error
      default: HubError.notPredicted(error, path)
      }
    }
  }
}
