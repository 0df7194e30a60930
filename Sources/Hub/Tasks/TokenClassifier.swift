import Forge
import ForgeText

/// Finds named entities in texts, with a network for token classification.
///
/// ```swift
/// let classifier = try TokenClassifier(contentsOf: "bert-base-NER")
/// for entity in try classifier.entities(in: "Ada Lovelace lived in London.") {
///   print(entity.label, entity.text, entity.score)  // PER Ada Lovelace 0.99…
/// }
/// ```
/// All threads can share a classifier.
public struct TokenClassifier: Sendable {
  /// A part of a text with a label.
  public struct Entity: Sendable, Hashable {
    /// The label, without the `B-` and `I-` that say where a part begins.
    public let label: String
    /// The mean of the scores of its tokens or words, 0 to 1.
    public let score: Float
    /// The place in the text.
    public let range: Range<String.Index>
    /// The part of the text.
    public let text: String
  }

  /// How the tokens of a word become one label.
  public enum WordLabel: String, Sendable, Hashable, CaseIterable {
    /// Each token has its own label, even within a word.
    case token
    /// The label of its first token.
    case first
    /// The best label of the mean of its tokens' scores.
    case mean
    /// The label of the token whose best score is the largest.
    case maximum
  }

  /// The folder.
  public let hub: HubModel
  /// The labels of tokens, in the order of the scores.
  public var labels: [String] { hub.labels }
  /// How the tokens of a word become one label.
  public let wordLabel: WordLabel
  /// The labels that are left out of the entities.
  public let ignoredLabels: Set<String>

  private let network: HubNetwork

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder; see ``HubModel``.
  ///   - wordLabel: how the tokens of a word become one label; the words are the tokenizer's.
  ///   - ignoredLabels: the labels that are left out of the entities.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - threads: the threads that share the texts of a call; `nil` for one per processor.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `compile`.
  public init(
    contentsOf folder: String, wordLabel: WordLabel = .first, ignoredLabels: Set<String> = ["O"],
    maximumLength: Int? = nil, threads: Int? = nil, options: CompileOptions = CompileOptions(),
    limits: HubLimits = HubLimits()
  ) throws(HubError) {
    hub = try HubModel(
      contentsOf: folder, head: .tokenClassification, maximumLength: maximumLength, limits: limits)
    self.wordLabel = wordLabel
    self.ignoredLabels = ignoredLabels
    network = try HubNetwork(hub, options, threads: threads)
  }

  /// The entities of a text.
  ///
  /// - Parameter text: the text; tokens beyond the maximum length are ignored.
  /// - Returns: the entities in the order of the text.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func entities(in text: String) throws(HubError) -> [Entity] {
    try entities(in: [text])[0]
  }

  /// The entities of texts, on several threads.
  ///
  /// - Parameter texts: the texts; tokens beyond the maximum length are ignored.
  /// - Returns: the entities of each text, in their order.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func entities(in texts: [String]) throws(HubError) -> [[Entity]] {
    let encoded = try network.encode(texts)
    let count = labels.count
    let scores = try network.map(encoded) { _, logits in
      (0..<logits.count / max(1, count)).map { token in
        LabelScoring.softmax((token * count..<(token + 1) * count).map { logits[$0] })
      }
    }
    return zip(texts, zip(encoded, scores)).map { text, result in
      entities(in: text, result.0, scores: result.1)
    }
  }

  /// A word, or a token, with its label.
  private struct Part {
    var label: String
    var score: Float
    var range: Range<Int>
  }

  private func entities(
    in text: String, _ encoded: TokenizedText, scores: [[Float]]
  ) -> [Entity] {
    var groups: [(tag: String, label: String, parts: [Part])] = []
    for part in parts(encoded, scores) {
      let isFirst = part.label.hasPrefix("B-")
      let hasPrefix = isFirst || part.label.hasPrefix("I-")
      let tag = hasPrefix ? String(part.label.dropFirst(2)) : part.label
      if let last = groups.last, last.tag == tag, !isFirst {
        groups[groups.count - 1].parts.append(part)
      } else {
        groups.append((tag, part.label, [part]))
      }
    }
    let scalars = text.unicodeScalars
    var (index, offset) = (scalars.startIndex, 0)
    // Places only grow, so a text is walked once.
    func advance(to target: Int) -> String.Index {
      if target < offset { (index, offset) = (scalars.startIndex, 0) }
      index =
        scalars.index(index, offsetBy: target - offset, limitedBy: scalars.endIndex)
        ?? scalars.endIndex
      offset = target
      return index
    }
    return groups.compactMap { group in
      guard !ignoredLabels.contains(group.tag), !ignoredLabels.contains(group.label),
        let first = group.parts.first, let last = group.parts.last
      else { return nil }
      let lower = advance(to: first.range.lowerBound)
      let upper = advance(to: max(first.range.lowerBound, last.range.upperBound))
      let sum = group.parts.reduce(0.0) { $0 + Double($1.score) }
      return Entity(
        label: group.tag, score: Float(sum / Double(group.parts.count)), range: lower..<upper,
        text: String(text[lower..<upper]))
    }
  }

  /// The labels of the words, or of the tokens, of a text.
  private func parts(_ encoded: TokenizedText, _ scores: [[Float]]) -> [Part] {
    let words = encoded.wordIDs
    var groups: [[Int]] = []
    for token in 0..<min(encoded.count, scores.count)
    where encoded.specialTokensMask[token] == 0 {
      if wordLabel != .token, let last = groups.last?.last, let word = words[token],
        words[last] == word
      {
        groups[groups.count - 1].append(token)
      } else {
        groups.append([token])
      }
    }
    return groups.compactMap { tokens in
      guard let first = tokens.first, let last = tokens.last else { return nil }
      let chosen: [Float]
      switch wordLabel {
      case .token, .first: chosen = scores[first]
      case .maximum:
        let best = tokens.max { (scores[$0].max() ?? 0, $1) < (scores[$1].max() ?? 0, $0) }
        chosen = scores[best ?? first]
      case .mean:
        chosen = labels.indices.map { label in
          Float(tokens.reduce(0.0) { $0 + Double(scores[$1][label]) } / Double(tokens.count))
        }
      }
      guard let best = chosen.top(k: 1, labels: labels).first else { return nil }
      let offsets = encoded.scalarOffsets
      return Part(
        label: best.label ?? "", score: best.probability,
        range: offsets[first].lower..<max(offsets[first].lower, offsets[last].upper))
    }
  }
}
