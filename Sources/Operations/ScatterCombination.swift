/// How a scattered update is combined with the element that it meets.
public enum ScatterCombination: String, Hashable, Sendable, CaseIterable, Encodable {
  /// The update replaces the element; of several updates the last one stays.
  case replace
  /// The sum of both, `(x + u₀) + u₁ …` for several updates.
  case add
  /// The product of both.
  case multiply
  /// The smaller one; NaN if one is.
  case minimum
  /// The larger one; NaN if one is.
  case maximum

  /// The element after an update.
  func value(_ element: Double, _ update: Double) -> Double {
    switch self {
    case .replace: update
    case .add: element + update
    case .multiply: element * update
    case .minimum: BinaryOperator.minimum.value(element, update)
    case .maximum: BinaryOperator.maximum.value(element, update)
    }
  }
}
