import Forge
import ForgeText

/// Labels texts with labels of the caller, by a network that says whether one text follows from
/// another (entailment).
///
/// ```swift
/// let classifier = try ZeroShotClassifier(contentsOf: "bart-large-mnli")
/// let ranks = try classifier.classify("Swallows leave in autumn.", as: ["nature", "sports"])
/// print(ranks[0])  // nature: 0.98…
/// ```
/// Each label becomes a sentence, such as `This example is nature.`, and the network says how well
/// the sentence follows from the text. All threads can share a classifier.
///
/// Source: Yin and others, Benchmarking Zero-shot Text Classification, 2019.
public struct ZeroShotClassifier: Sendable {
  /// The folder.
  public let hub: HubModel

  private let network: HubNetwork
  /// The numbers of the labels that say that a sentence follows, and that the opposite does.
  private let follows, opposes: Int

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder of a network for sequence classification, one of whose labels begins
  ///     with `entail`.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - threads: the threads that share the labels of a call; that of the processors if `nil`.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `unsupported` for a network without such a label,
  ///   `compile`.
  public init(
    contentsOf folder: String, maximumLength: Int? = nil, threads: Int? = nil,
    options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    hub = try HubModel(
      contentsOf: folder, head: .sequenceClassification, maximumLength: maximumLength,
      limits: limits)
    let labels = hub.labels.map { $0.lowercased() }
    guard labels.count > 1, let follows = labels.firstIndex(where: { $0.hasPrefix("entail") })
    else {
      throw .unsupported(
        "id2label", "labels without entailment", in: folder, needs: "a label entailment",
        remedy: "use TextClassifier for the labels of the folder")
    }
    self.follows = follows
    // As in the library, whatever the label is called.
    opposes = follows == 0 ? labels.count - 1 : 0
    network = try HubNetwork(hub, options, threads: threads, strategy: .onlyFirst)
  }

  /// The labels of a text with their scores, the best first.
  ///
  /// - Parameters:
  ///   - text: the text; its tokens beyond the maximum length are left out.
  ///   - labels: the labels.
  ///   - hypothesis: the sentence of a label, which stands in place of each `{}`.
  ///   - severalMayHold: whether each label has a score of its own, from 0 to 1; otherwise the
  ///     scores sum to 1.
  /// - Returns: all labels; `index` is that among `labels`.
  /// - Throws: ``HubError``: `invalid` for a sentence without `{}`; `tokenizer`, including for a
  ///   label of more tokens than the network takes; `prediction`.
  public func classify(
    _ text: String, as labels: [String], hypothesis: String = "This example is {}.",
    severalMayHold: Bool = false
  ) throws(HubError) -> [RankedClass] {
    guard hypothesis.contains("{}") else {
      throw .invalid(
        "hypothesis", "\"\(hypothesis.prefix(80))\"", in: hub.path, needs: "a sentence with {}")
    }
    let pairs = labels.map { (text, hypothesis.replacing("{}", with: $0)) }
    let (follows, opposes) = (follows, opposes)
    let numbers = try network.map(try network.encode(pairs: pairs)) { _, logits in
      (opposes: logits[opposes], follows: logits[follows])
    }
    // A single label cannot be likelier than others.
    let scores =
      severalMayHold || labels.count == 1
      ? numbers.map { LabelScoring.softmax([$0.opposes, $0.follows])[1] }
      : LabelScoring.softmax(numbers.map(\.follows))
    return scores.top(k: scores.count, labels: labels)
  }
}
