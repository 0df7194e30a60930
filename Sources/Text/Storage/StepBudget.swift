/// The steps that a search in a vocabulary may take for a text.
///
/// Tokens of real vocabularies are short. A file with tokens of a million characters would make the
/// search quadratic; the budget turns that into an error.
struct StepBudget {
  private var left: Int

  /// The budget for a text of this many bytes.
  init(_ count: Int) { left = (1 << 20) + 1024 * count }

  /// Whether nothing is left.
  @inline(__always)
  var isSpent: Bool { left < 0 }

  /// Takes steps away.
  @inline(__always)
  mutating func spend(_ steps: Int) { left -= steps }

  /// Throws if nothing is left.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooManySteps`.
  func check(_ what: String) throws(TokenizerError) {
    guard isSpent else { return }
    throw TokenizerError(
      .tooManySteps, "the search for tokens takes too long for this text", received: what,
      needs: "at most 1024 steps for each byte")
  }
}
