extension Generator {
  /// The numbers of all tokens after the beginning of a text, and after each of some tokens.
  ///
  /// - Parameters:
  ///   - ids: the tokens of the text; the beginning of a decoder's is the prompt.
  ///   - prompt: the tokens of the prompt.
  /// - Returns: a row for the beginning and one for each token.
  /// - Throws: ``HubError`` of kind `prediction`.
  package func logits(behind ids: [Int32], prompt: [Int32]) async throws -> [[Float]] {
    do {
      var stream = try networks.stream(prompt)
      var rows = [try await stream.logits(behind: networks.beginning(prompt))]
      for id in ids { rows.append(try await stream.logits(behind: [id])) }
      return rows
    } catch { throw HubError.notPredicted(error, hub.path) }
  }
}
