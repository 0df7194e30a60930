import ForgeLoaders
import ForgeSystem

/// How the numbers of labels become scores.
enum LabelScoring: Sendable, Hashable {
  /// One label holds: exponentials that sum to 1.
  case softmax
  /// Each label holds or not: `1 / (1 + e⁻ˣ)` of each.
  case sigmoid
  /// The number itself.
  case identity

  /// The scores.
  func callAsFunction(_ logits: [Float]) -> [Float] {
    switch self {
    case .identity: return logits
    case .sigmoid: return logits.map { Float(1 / (1 + exp(-Double($0)))) }
    case .softmax:
      let most = logits.max() ?? 0
      let terms = logits.map { exp(Double($0 - most)) }
      let sum = terms.reduce(0, +)
      return terms.map { Float($0 / sum) }
    }
  }
}

/// The labels of a classification, as config.json has them.
struct LabelList: Sendable {
  let names: [String]
  let scoring: LabelScoring
  /// What a cross-encoder does with its number: `nil` if config.json does not say.
  let crossEncoder: LabelScoring?

  /// The most labels.
  private static let maximumCount = 1 << 20

  /// Reads `id2label` or `num_labels`, and `problem_type`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings) throws(HubError) {
    if let map = try settings.settings("id2label") {
      let keys = map.names
      var names = [String?](repeating: nil, count: keys.count)
      for key in keys {
        guard let index = Int(key), names.indices.contains(index), names[index] == nil,
          let name = try map.text(key)
        else {
          throw .invalid(
            map.name(key), "another number", in: settings.path,
            needs: "labels with the numbers from 0 to \(keys.count - 1)")
        }
        names[index] = name
      }
      self.names = names.compactMap(\.self)
    } else {
      let count = try settings.integer("num_labels", in: 1...Self.maximumCount, default: 2)
      names = (0..<count).map { "LABEL_\($0)" }
    }
    switch try settings.text("problem_type") {
    case nil, "single_label_classification": scoring = names.count == 1 ? .sigmoid : .softmax
    case "multi_label_classification": scoring = .sigmoid
    case "regression": scoring = .identity
    default:
      throw settings.unsupported(
        "problem_type",
        needs: "single_label_classification, multi_label_classification, regression")
    }
    crossEncoder = try Self.crossEncoder(settings)
  }

  /// The function that sentence-transformers applies to the number of a pair.
  private static func crossEncoder(_ settings: Settings) throws(HubError) -> LabelScoring? {
    var (holder, name) = (settings, "sbert_ce_default_activation_function")
    if let newer = try settings.settings("sentence_transformers"), newer["activation_fn"] != nil {
      (holder, name) = (newer, "activation_fn")
    }
    return try holder.scoring(name)
  }
}

extension Settings {
  /// A function of torch.nn that makes a score; `nil` if there is none.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  func scoring(_ name: String) throws(HubError) -> LabelScoring? {
    guard let text = try text(name) else { return nil }
    switch text.hasPrefix("torch.nn.") ? text.split(separator: ".").last : nil {
    case "Identity": return .identity
    case "Sigmoid": return .sigmoid
    default: throw unsupported(name, needs: "torch.nn's Identity or Sigmoid")
    }
  }
}
