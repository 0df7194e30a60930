/// What Split and Replace look for: a text as it is, or a regular expression.
///
/// A search has a budget of steps, so that no pattern takes time out of proportion to the text.
final class Pattern: Sendable {
  private enum Form {
    case literal([UInt8])
    case program(PatternProgram)
  }

  private let form: Form
  private let source: String
  private let steps: Int

  /// Looks for a text.
  init(literal: String) {
    form = .literal(Array(literal.utf8))
    (source, steps) = (literal, 0)
  }

  /// Looks for a regular expression.
  ///
  /// - Throws: ``TokenizerError``: `unsupported`, `malformed` or `tooLarge`.
  init(_ source: String, limits: TokenizerLimits) throws(TokenizerError) {
    guard source.utf8.count <= limits.patternSize else {
      throw .tooLarge(
        "bytes of a pattern", source.utf8.count, limit: limits.patternSize,
        "patternSize")
    }
    let (node, sets) = try PatternParser.parse(source)
    if case .literal(let bytes) = node, !bytes.isEmpty {
      form = .literal(bytes)
    } else {
      form = .program(try PatternProgram(node, sets: sets, limit: limits.patternSize))
    }
    (self.source, steps) = (source, limits.patternSteps)
  }

  /// The matches in a text, from left to right.
  func matches(in bytes: [UInt8]) throws(TokenizerError) -> [Range<Int>] {
    var list: [Range<Int>] = []
    var failure: TokenizerError?
    bytes.withUnsafeBufferPointer { buffer in
      do throws(TokenizerError) {
        try forEachMatch(buffer, 0..<buffer.count) { list.append($0..<$1) }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return list
  }

  /// Calls a closure with the bounds of each match in a part of a text, which counts as a whole.
  func forEachMatch(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ body: (Int, Int) -> Void
  ) throws(TokenizerError) {
    guard !range.isEmpty else { return }
    let text = UnsafeBufferPointer(rebasing: bytes[range])
    let base = range.lowerBound
    switch form {
    case .literal(let literal):
      var position = 0
      while !literal.isEmpty, position + literal.count <= text.count {
        if text[position] == literal[0],
          text[position..<position + literal.count].elementsEqual(literal)
        {
          body(base + position, base + position + literal.count)
          position += literal.count
        } else {
          position += 1
        }
      }
    case .program(let program):
      try search(program, text) { body(base + $0, base + $1) }
    }
  }

  private func search(
    _ program: PatternProgram, _ text: UnsafeBufferPointer<UInt8>, _ body: (Int, Int) -> Void
  ) throws(TokenizerError) {
    let budget = steps + 256 * text.count
    var matcher = PatternMatcher(program, text, budget: budget)
    var position = 0
    var lastEnd: Int?
    while position <= text.count {
      var found: (Int, Int)?
      while position <= text.count {
        let isCandidate =
          program.first.map { position < text.count && $0[Int(text[position])] } ?? true
        if isCandidate, let end = matcher.match(at: position) {
          found = (position, end)
          break
        }
        guard !matcher.isExhausted else { throw .tooManySteps(source, limit: budget) }
        position += position < text.count ? UTF8Bytes.width(text[position]) : 1
      }
      guard let (start, end) = found else { return }
      // An empty match right after another match does not count.
      if start == end, lastEnd == end {
        position = end + (end < text.count ? UTF8Bytes.width(text[end]) : 1)
        continue
      }
      body(start, end)
      lastEnd = end
      position = end
    }
  }
}
