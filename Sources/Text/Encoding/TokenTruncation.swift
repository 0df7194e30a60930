/// How encodings are cut to a length.
public struct TokenTruncation: Sendable, Hashable {
  /// Which text of a pair is cut.
  public enum Strategy: String, Sendable, Hashable {
    /// The longer one first, then both.
    case longestFirst = "LongestFirst"
    /// The first one.
    case onlyFirst = "OnlyFirst"
    /// The second one.
    case onlySecond = "OnlySecond"
  }

  /// The maximum number of tokens, with those that are added.
  public var length: Int
  /// The number of tokens that neighboring parts of a long text share.
  public var stride: Int
  /// Which text of a pair is cut.
  public var strategy: Strategy
  /// The side that is cut off.
  public var side: TextSide

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - length: the maximum number of tokens, with those that are added.
  ///   - stride: the number of tokens that neighboring parts of a long text share.
  ///   - strategy: which text of a pair is cut.
  ///   - side: the side that is cut off.
  public init(
    length: Int, stride: Int = 0, strategy: Strategy = .longestFirst, side: TextSide = .right
  ) {
    (self.length, self.stride) = (max(0, length), max(0, stride))
    (self.strategy, self.side) = (strategy, side)
  }

  /// Cuts the tokens of one or two texts.
  ///
  /// - Throws: ``TokenizerError`` of kind `truncation`.
  func apply(
    _ first: inout TokenizedText, _ second: inout TokenizedText?, adding added: Int
  ) throws(TokenizerError) {
    guard length >= added else {
      throw TokenizerError(
        .truncation, "the length leaves no room for the text", received: "\(length) tokens",
        needs: "more than the \(added) that are added")
    }
    let most = length - added
    let total = first.count + (second?.count ?? 0)
    guard total > most else { return }
    let fromLeft = side == .left
    guard most > 0 else {
      try first.truncate(to: 0, stride: stride, fromLeft: fromLeft)
      try second?.truncate(to: 0, stride: stride, fromLeft: fromLeft)
      return
    }
    switch strategy {
    case .longestFirst:
      guard let pair = second else {
        return try first.truncate(to: most, stride: stride, fromLeft: fromLeft)
      }
      let (one, two) = Self.share(most, first.count, pair.count)
      try first.truncate(to: one, stride: stride, fromLeft: fromLeft)
      try second?.truncate(to: two, stride: stride, fromLeft: fromLeft)
      try check(first.overflowing.count, second?.overflowing.count ?? 0)
    case .onlyFirst, .onlySecond:
      let target = strategy == .onlyFirst ? first.count : second?.count
      guard let target else {
        throw TokenizerError(.truncation, "truncation of the second text needs a pair")
      }
      guard target > total - most else {
        throw TokenizerError(
          .truncation, "the text is too short to be cut", received: "\(target) tokens",
          needs: "more than \(total - most)")
      }
      let left = target - (total - most)
      if strategy == .onlyFirst {
        try first.truncate(to: left, stride: stride, fromLeft: fromLeft)
      } else {
        try second?.truncate(to: left, stride: stride, fromLeft: fromLeft)
      }
    }
  }

  /// All parts of both texts are combined, which must not be too many.
  private func check(_ first: Int, _ second: Int) throws(TokenizerError) {
    let most = 1 << 16
    guard (first + 1) * (second + 1) <= most else {
      throw TokenizerError(
        .truncation, "the texts fall into too many parts",
        received: "\(first + 1) parts for each of \(second + 1)",
        needs: "at most \(most) pairs of parts", remedy: "use a greater length or cut one text")
    }
  }

  /// The lengths of two texts that share a length: the shorter one is cut last.
  private static func share(_ most: Int, _ first: Int, _ second: Int) -> (Int, Int) {
    var (short, long) = (min(first, second), max(first, second))
    long = short > most ? short : max(short, most - short)
    if short + long > most {
      short = most / 2
      long = short + most % 2
    }
    return first > second ? (long, short) : (short, long)
  }
}
