/// Says when a word counts as heard: once, when its mean probability over five frames is high.
///
/// The word is held until its mean has fallen below 0.3; no other is heard meanwhile.
/// `Training/listener.py` has the same rule.
struct Listener {
  /// A word that was heard.
  struct Hearing: Equatable {
    /// The position of the word in ``KeywordNetwork/words``.
    let word: Int
    /// The mean probability.
    let probability: Float
  }

  /// The mean probability from which a word counts as heard.
  static let threshold: Float = 0.6
  private static let release: Float = 0.3
  private static let meanOf = 5

  private var recent = [Float](repeating: 0, count: meanOf * KeywordNetwork.classes)
  private var frame = 0
  private var held: Int?

  /// Takes the probabilities of the next frame; returns the word that is heard at it, if one is.
  mutating func hear(_ probabilities: [Float]) -> Hearing? {
    let start = frame % Self.meanOf * KeywordNetwork.classes
    for (index, probability) in zip(0..<KeywordNetwork.classes, probabilities) {
      recent[start + index] = probability
    }
    frame += 1
    if let word = held {
      if mean(word) >= Self.release { return nil }
      held = nil
    }
    var best = Hearing(word: 0, probability: mean(0))
    for word in KeywordNetwork.words.indices.dropFirst() {
      let probability = mean(word)
      if probability > best.probability { best = Hearing(word: word, probability: probability) }
    }
    guard best.probability >= Self.threshold else { return nil }
    held = best.word
    return best
  }

  private func mean(_ word: Int) -> Float {
    var sum: Float = 0
    for frame in 0..<Self.meanOf { sum += recent[frame * KeywordNetwork.classes + word] }
    return sum / Float(Self.meanOf)
  }
}
