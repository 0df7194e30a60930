import Forge
import ForgeText

/// Ranks texts by how well they answer a query, with a network that reads both (a cross-encoder).
///
/// ```swift
/// let reranker = try Reranker(contentsOf: "ms-marco-MiniLM-L6-v2")
/// for text in try reranker.rank(["Swallows leave.", "It rains."], for: "Which bird leaves?") {
///   print(text.index, text.score)
/// }
/// ```
/// Scores are those of sentence-transformers' CrossEncoder: by the function that the folder names,
/// else by `1 / (1 + e⁻ˣ)`. All threads can share a reranker.
public struct Reranker: Sendable {
  /// A text with its score.
  public struct RankedText: Sendable, Hashable {
    /// The position among the given texts.
    public let index: Int
    /// How well the text answers the query; more is better.
    public let score: Float
  }

  /// The folder.
  public let hub: HubModel
  private let network: HubNetwork
  private let scoring: LabelScoring

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder of a network for sequence classification with one label.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - threads: the threads that share the texts of a call; `nil` for one per processor.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `unsupported` for a network with several labels,
  ///   `compile`.
  public init(
    contentsOf folder: String, maximumLength: Int? = nil, threads: Int? = nil,
    options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    hub = try HubModel(
      contentsOf: folder, head: .sequenceClassification, maximumLength: maximumLength,
      limits: limits)
    guard hub.labels.count == 1 else {
      throw .unsupported(
        "num_labels", "\(hub.labels.count)", in: folder,
        needs: "1 label, whose number is the score",
        remedy: "use TextClassifier for several labels")
    }
    scoring = hub.sentence.scoring ?? hub.labelList.crossEncoder ?? .sigmoid
    network = try HubNetwork(hub, options, threads: threads)
  }

  /// How well texts answer a query.
  ///
  /// - Parameters:
  ///   - texts: the texts; tokens of a query and a text beyond the maximum length are left out.
  ///   - query: the query.
  /// - Returns: a score for each text, in their order; more is better.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func scores(of texts: [String], for query: String) throws(HubError) -> [Float] {
    let scoring = scoring
    return try network.map(try network.encode(pairs: texts.map { (query, $0) })) { _, logits in
      scoring(logits.indices.map { logits[$0] }).first ?? 0
    }
  }

  /// The texts that answer a query best.
  ///
  /// - Parameters:
  ///   - texts: the texts.
  ///   - query: the query.
  ///   - count: how many to return; all of them if `nil`.
  /// - Returns: the best texts, the best first; equal ones are in the order of the texts.
  /// - Throws: ``HubError``: `tokenizer`, `prediction`.
  public func rank(
    _ texts: [String], for query: String, count: Int? = nil
  ) throws(HubError) -> [RankedText] {
    let scores = try scores(of: texts, for: query)
    return scores.top(k: count ?? scores.count).map {
      RankedText(index: $0.index, score: $0.probability)
    }
  }
}
