import Forge

extension ModelMetadata {
  /// The characters of a value that are shown.
  private static let shownCharacters = 200

  /// What a model says about itself.
  package var facts: [ModelFact] {
    var facts: [ModelFact] = []
    for (label, text) in [
      ("name", name), ("about", about), ("author", author), ("license", license),
      ("version", version), ("producer", producer),
    ] {
      if let text, !text.isEmpty { facts.append(ModelFact(label, text)) }
    }
    let said = Set(facts.map(\.text))
    for (key, value) in values.sorted(by: { $0.key < $1.key }) where !said.contains(value) {
      let shown = value.prefix(Self.shownCharacters)
      facts.append(
        ModelFact("metadata", "\(key) = \(shown)\(shown.count < value.count ? "…" : "")"))
    }
    return facts
  }
}

extension ImportedModel {
  /// What the model says about itself, and the element types of its weights.
  package var metadataFacts: [ModelFact] {
    model.metadata.facts + (ModelFact.weights(weightTypes()).map { [$0] } ?? [])
  }

  /// The number of stored values by element type; weights that layers share count once.
  private func weightTypes() -> [ElementType: Int] {
    let specs = model.parameterSpecs
    guard let source = (try? model.parameters?.prepared(for: specs)) ?? nil else { return [:] }
    var seen: Set<ValueIdentity> = []
    var counts: [ElementType: Int] = [:]
    for spec in specs {
      guard let values = (try? source.parameter(for: spec)) ?? nil else { continue }
      if let tensor = (values as? any IdentifiedParameterData)?.identity,
        !seen.insert(tensor).inserted
      {
        continue
      }
      let stored = (values as? any DecodedParameterData)?.stored
      counts[stored?.type ?? values.elementType, default: 0] += stored?.count ?? values.count
    }
    return counts
  }
}

/// Values that are decoded from what the file stores.
protocol DecodedParameterData: ParameterData {
  /// The type of the stored elements, and how many there are.
  var stored: (type: ElementType, count: Int) { get }
}

extension ModelFact {
  /// The numbers of stored values by element type, the most frequent first; `nil` without values.
  static func weights(_ counts: [ElementType: Int]) -> ModelFact? {
    let sorted = counts.filter { $0.value > 0 }.sorted {
      ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
    }
    guard !sorted.isEmpty else { return nil }
    return ModelFact(
      "weights",
      sorted.map { ImportError.counted($0.value, "value") + " of \($0.key.rawValue)" }
        .joined(separator: ", "))
  }
}
