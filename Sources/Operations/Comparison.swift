/// How two numbers are compared; a comparison with NaN does not hold, but `notEqual` does.
public enum Comparison: Hashable, Sendable, Encodable {
  /// `a = b`.
  case equal
  /// `a ≠ b`.
  case notEqual
  /// `a < b`.
  case less
  /// `a ≤ b`.
  case lessOrEqual
  /// `a > b`.
  case greater
  /// `a ≥ b`.
  case greaterOrEqual
}

extension Comparison {
  /// The operation.
  package var operation: BinaryOperator {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }
}
