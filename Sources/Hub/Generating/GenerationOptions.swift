import ForgeShapes

/// How a ``Generator`` chooses the tokens of a text, and where the text ends.
///
/// ```swift
/// let options = GenerationOptions(maximumTokens: 64, temperature: 0.7, topP: 0.9, seed: 7)
/// ```
/// For logits `l`, the probability of a token is `softmax(l / temperature)` among the tokens that
/// `topK` and `topP` keep. The same seed chooses the same tokens on one machine.
public struct GenerationOptions: Sendable, Hashable {
  /// The maximum number of tokens of the text, without those of the prompt.
  public var maximumTokens: Int
  /// What logits are divided by; with 0 each token is the one with the largest logit (greedy).
  public var temperature: Float
  /// Keeps the tokens with the largest logits, this many and those equal to the last; `nil` for
  /// all.
  public var topK: Int?
  /// Keeps the fewest tokens whose probabilities sum to at least this; `nil` for all.
  public var topP: Float?
  /// What the logit of a token in the prompt or the text is divided by if it is positive, and
  /// multiplied by if it is negative; 1 for no change.
  public var repetitionPenalty: Float
  /// The seed of the choice; `nil` for another one each time.
  public var seed: UInt64?
  /// The texts at which generation stops; the result does not include them.
  public var stopTexts: [String]

  /// Creates options; those that are not given choose the most likely token each time.
  ///
  /// - Parameters:
  ///   - maximumTokens: the maximum number of tokens, at least 1.
  ///   - temperature: what logits are divided by; 0 for the largest logit each time.
  ///   - topK: how many tokens to choose among, at least 1; all if `nil`.
  ///   - topP: the sum of the probabilities to choose among, above 0 and at most 1; all if `nil`.
  ///   - repetitionPenalty: makes earlier tokens less likely if it is above 1; above 0.
  ///   - seed: the seed of the choice; another one each time if `nil`.
  ///   - stopTexts: the texts at which generation stops.
  public init(
    maximumTokens: Int = 256, temperature: Float = 0, topK: Int? = nil, topP: Float? = nil,
    repetitionPenalty: Float = 1, seed: UInt64? = nil, stopTexts: [String] = []
  ) {
    self.maximumTokens = maximumTokens
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.repetitionPenalty = repetitionPenalty
    self.seed = seed
    self.stopTexts = stopTexts
  }

  /// Checks the numbers.
  ///
  /// - Throws: ``HubError`` of kind `invalid`.
  func validate(_ path: String) throws(HubError) {
    func require(_ holds: Bool, _ name: String, _ value: Any, _ needs: String) throws(HubError) {
      guard holds else { throw .invalid(name, "\(value)", in: path, needs: needs) }
    }
    try require(maximumTokens >= 1, "maximumTokens", maximumTokens, "1 or more")
    try require(
      temperature >= 0 && temperature.isFinite, "temperature", temperature, "a number of 0 or more")
    try require((topK ?? 1) >= 1, "topK", topK ?? 1, "1 or more")
    let sum = topP ?? 1
    try require(sum > 0 && sum <= 1, "topP", sum, "a number above 0, at most 1")
    try require(
      repetitionPenalty > 0 && repetitionPenalty.isFinite, "repetitionPenalty", repetitionPenalty,
      "a number above 0")
    try require(
      !stopTexts.contains(""), "stopTexts", "an empty text", "texts of a character or more")
  }
}
