import Forge
import ForgeText

/// Labels texts with a network for sequence classification.
///
/// ```swift
/// let classifier = try TextClassifier(contentsOf: "sentiment")
/// print(try classifier.classify("What a fine day!")[0])  // POSITIVE: 0.9998
/// ```
/// Labels and scores follow config.json: scores are exponentials that sum to 1; if several labels
/// may apply, or with a single label, `1 / (1 + e⁻ˣ)`; a regression returns its number. All threads
/// can share a classifier.
public struct TextClassifier: Sendable {
  /// The folder.
  public let hub: HubModel
  /// The labels, in the order of the scores.
  public var labels: [String] { hub.labels }

  private let network: HubNetwork

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder; see ``HubModel``.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - threads: the threads that share the texts of a call; `nil` for one per processor.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `compile`.
  public init(
    contentsOf folder: String, maximumLength: Int? = nil, threads: Int? = nil,
    options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    hub = try HubModel(
      contentsOf: folder, head: .sequenceClassification, maximumLength: maximumLength,
      limits: limits)
    network = try HubNetwork(hub, options, threads: threads)
  }

  /// The labels of a text with their scores, the best first.
  ///
  /// - Parameter text: the text; tokens beyond the maximum length are left out.
  /// - Returns: all labels.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func classify(_ text: String) throws(HubError) -> [RankedClass] {
    try classify([text])[0]
  }

  /// The labels of texts with their scores, the best first, on several threads.
  ///
  /// - Parameter texts: the texts; tokens beyond the maximum length are left out.
  /// - Returns: all labels for each text.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func classify(_ texts: [String]) throws(HubError) -> [[RankedClass]] {
    try scores(of: network.encode(texts)).map { $0.top(k: $0.count, labels: labels) }
  }

  /// The labels of pairs of texts with their scores, the best first: premises and hypotheses,
  /// questions and answers.
  ///
  /// - Parameter pairs: the pairs; tokens beyond the maximum length are left out.
  /// - Returns: all labels for each pair.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func classify(pairs: [(String, String)]) throws(HubError) -> [[RankedClass]] {
    try scores(of: network.encode(pairs: pairs)).map { $0.top(k: $0.count, labels: labels) }
  }

  private func scores(of texts: [TokenizedText]) throws(HubError) -> [[Float]] {
    let scoring = hub.labelList.scoring
    return try network.map(texts) { _, logits in
      scoring(logits.indices.map { logits[$0] })
    }
  }
}
