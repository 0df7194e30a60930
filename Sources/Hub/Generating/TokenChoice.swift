import Forge
import ForgeSystem

/// Chooses a token by the logits of all, as the options say.
struct TokenChoice {
  private let options: GenerationOptions
  private var random: SplitMix64
  /// The tokens of the prompt and the text, if a penalty needs them.
  private var seen: Set<Int32> = []
  /// The tokens that are never chosen.
  private let banned: Set<Int32>

  init(_ options: GenerationOptions, prompt: [Int32], banned: Set<Int32> = []) {
    self.options = options
    self.banned = banned
    random = SplitMix64(seed: options.seed ?? .random(in: 0 ... .max))
    if options.repetitionPenalty != 1 { seen = Set(prompt) }
  }

  /// Chooses the next token, which is not yet counted: see ``add(_:)``.
  ///
  /// - Parameter logits: a number for each token.
  /// - Returns: the token; `nil` if no logit is a number.
  mutating func next(_ logits: [Float]) -> Int32? {
    var logits = options.repetitionPenalty == 1 ? logits : penalized(logits)
    for id in banned where logits.indices.contains(Int(id)) { logits[Int(id)] = -.infinity }
    return choose(logits).map { Int32($0) }
  }

  /// Adds a token of the text to those that the penalty counts.
  mutating func add(_ token: Int32) {
    if options.repetitionPenalty != 1 { seen.insert(token) }
  }

  private func penalized(_ logits: [Float]) -> [Float] {
    var logits = logits
    for id in seen where logits.indices.contains(Int(id)) {
      let logit = logits[Int(id)]
      logits[Int(id)] =
        logit < 0 ? logit * options.repetitionPenalty : logit / options.repetitionPenalty
    }
    return logits
  }

  private mutating func choose(_ logits: [Float]) -> Int? {
    var best: Int?
    var most = -Float.infinity
    for (index, logit) in logits.enumerated() where logit > most || (best == nil && logit == most) {
      (best, most) = (index, logit)
    }
    guard options.temperature > 0, most.isFinite else { return best }
    let kept = Self.kept(logits, most: most, options)
    let total = kept.reduce(0) { $0 + $1.weight }
    // 53 bits: every place in 0 ..< total has its share.
    var rest = Double(random.next() >> 11) * 0x1p-53 * total
    for token in kept {
      rest -= token.weight
      if rest < 0 { return token.index }
    }
    return kept.last?.index ?? best
  }

  /// A token that may be chosen, with its part of the probability.
  struct Candidate {
    var index: Int
    var weight: Double
  }

  /// The tokens that may be chosen, the most likely first.
  ///
  /// - Parameters:
  ///   - logits: a number for each token.
  ///   - most: the largest, which is finite.
  ///   - options: which tokens are kept.
  /// - Returns: the tokens.
  static func kept(
    _ logits: [Float], most: Float, _ options: GenerationOptions
  ) -> [Candidate] {
    var least = -Float.infinity
    if let count = options.topK, count < logits.count { least = smallest(of: logits, count) }
    var tokens: [Candidate] = []
    var total = 0.0
    for (index, logit) in logits.enumerated() where logit >= least {
      let weight = exp((Double(logit) - Double(most)) / Double(options.temperature))
      // NaN is not a probability.
      guard weight > 0 else { continue }
      tokens.append(Candidate(index: index, weight: weight))
      total += weight
    }
    if let share = options.topP, share < 1 {
      let rest = (1 - Double(share)) * total
      // All tokens below this sum to less than `rest`; the others are few enough to sort.
      let certain = rest / Double(tokens.count)
      var dropped = 0.0
      tokens.removeAll { token in
        guard token.weight < certain else { return false }
        dropped += token.weight
        return true
      }
      tokens.sort { ($1.weight, $0.index) < ($0.weight, $1.index) }
      while let last = tokens.last, tokens.count > 1, dropped + last.weight <= rest {
        dropped += last.weight
        tokens.removeLast()
      }
      return tokens
    }
    tokens.sort { ($1.weight, $0.index) < ($0.weight, $1.index) }
    return tokens
  }

  /// The `count`-th largest of numbers, found with a heap of `count` numbers.
  private static func smallest(of logits: [Float], _ count: Int) -> Float {
    var heap: [Float] = []
    heap.reserveCapacity(count)
    for logit in logits where !logit.isNaN {
      if heap.count < count {
        heap.append(logit)
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2] > heap[child] {
          heap.swapAt(child, (child - 1) / 2)
          child = (child - 1) / 2
        }
      } else if logit > heap[0] {
        heap[0] = logit
        var parent = 0
        while 2 * parent + 1 < count {
          var child = 2 * parent + 1
          if child + 1 < count, heap[child + 1] < heap[child] { child += 1 }
          guard heap[child] < heap[parent] else { break }
          heap.swapAt(child, parent)
          parent = child
        }
      }
    }
    return heap.first ?? -.infinity
  }
}
