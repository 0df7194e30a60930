/// A rule by which a text falls into words.
protocol PreTokenizer: Sendable {
  /// Splits the pieces of a text that are not added tokens.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooManySteps`.
  func split(_ text: inout PieceText) throws(TokenizerError)
}

/// Pre-tokenizers one after the other.
struct PreTokenizerSequence: PreTokenizer {
  let parts: [any PreTokenizer]

  func split(_ text: inout PieceText) throws(TokenizerError) {
    for part in parts {
      try part.split(&text)
      try AlignedText.check(count: text.text.count)
    }
  }
}

/// What becomes of the matches at which a text is split.
enum SplitBehavior: String, Sendable {
  case removed = "Removed"
  case isolated = "Isolated"
  case mergedWithPrevious = "MergedWithPrevious"
  case mergedWithNext = "MergedWithNext"
  case contiguous = "Contiguous"
}

/// Collects matches and what is between them, and makes pieces of them.
struct SplitCollector {
  private let behavior: SplitBehavior
  /// Whether what is between the matches counts as matches, and the other way around.
  private let isInverted: Bool
  private var parts: [(lower: Int, upper: Int, isMatch: Bool)] = []
  private var end: Int

  init(_ behavior: SplitBehavior, isInverted: Bool = false, from start: Int) {
    (self.behavior, self.isInverted, end) = (behavior, isInverted, start)
  }

  /// Adds a match; matches come from left to right.
  @inline(__always)
  mutating func match(_ lower: Int, _ upper: Int) {
    if lower > end { parts.append((end, lower, isInverted)) }
    parts.append((lower, upper, !isInverted))
    end = upper
  }

  /// Emits the pieces of the text up to its end.
  mutating func finish(_ upper: Int, _ emit: (Int, Int) -> Void) {
    if upper > end { parts.append((end, upper, isInverted)) }
    switch behavior {
    case .removed:
      for part in parts where !part.isMatch { emit(part.lower, part.upper) }
    case .isolated:
      for part in parts { emit(part.lower, part.upper) }
    case .contiguous:
      merge(emit) { isMatch, before in isMatch == before }
    case .mergedWithPrevious:
      merge(emit) { isMatch, before in isMatch && !before }
    case .mergedWithNext: mergeWithNext(emit)
    }
  }

  private func merge(_ emit: (Int, Int) -> Void, _ joins: (Bool, Bool) -> Bool) {
    var open: (lower: Int, upper: Int)?
    var before = false
    for part in parts {
      if let piece = open, joins(part.isMatch, before) {
        open = (piece.lower, part.upper)
      } else {
        if let piece = open { emit(piece.lower, piece.upper) }
        open = (part.lower, part.upper)
      }
      before = part.isMatch
    }
    if let piece = open { emit(piece.lower, piece.upper) }
  }

  private func mergeWithNext(_ emit: (Int, Int) -> Void) {
    var pieces: [(Int, Int)] = []
    var before = false
    for part in parts.reversed() {
      if part.isMatch, !before, let last = pieces.last {
        pieces[pieces.count - 1] = (part.lower, last.1)
      } else {
        pieces.append((part.lower, part.upper))
      }
      before = part.isMatch
    }
    for piece in pieces.reversed() { emit(piece.0, piece.1) }
  }
}
