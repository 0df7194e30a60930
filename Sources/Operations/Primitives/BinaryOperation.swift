import ForgeShapes
import ForgeSystem

/// An operation on two values.
public enum BinaryOperator: String, Hashable, Sendable, Encodable {
  /// `a + b`.
  case add
  /// `a − b`.
  case subtract
  /// `a · b`.
  case multiply
  /// The larger; NaN if either is.
  case maximum
  /// The smaller; NaN if either is.
  case minimum
  /// `a` where positive, else `a · b`.
  case prelu
  /// `a / b`.
  case divide
  /// `aᵇ`.
  case power
  /// The remainder of `a / b` with the sign of `a` (C's fmod).
  case remainderOfDividend
  /// The remainder of `a / b` with the sign of `b` (Python's %).
  case remainderOfDivisor
  /// 1 if `a = b`, else 0.
  case equal
  /// 1 if `a ≠ b`, else 0.
  case notEqual
  /// 1 if `a < b`, else 0.
  case less
  /// 1 if `a ≤ b`, else 0.
  case lessOrEqual
  /// 1 if `a > b`, else 0.
  case greater
  /// 1 if `a ≥ b`, else 0.
  case greaterOrEqual
  /// 1 if both are not 0, else 0.
  case and
  /// 1 if one is not 0, else 0.
  case or
  /// 1 if exactly one is not 0, else 0.
  case xor

  /// The result of the operator for two numbers.
  func value(_ a: Double, _ b: Double) -> Double {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .maximum: a.isNaN || b.isNaN ? .nan : max(a, b)
    case .minimum: a.isNaN || b.isNaN ? .nan : min(a, b)
    case .prelu: a > 0 ? a : a * b
    case .divide: a / b
    case .power: pow(a, b)
    case .remainderOfDividend: fmod(a, b)
    case .remainderOfDivisor: Self.modulo(a, b)
    case .equal: a == b ? 1 : 0
    case .notEqual: a != b ? 1 : 0
    case .less: a < b ? 1 : 0
    case .lessOrEqual: a <= b ? 1 : 0
    case .greater: a > b ? 1 : 0
    case .greaterOrEqual: a >= b ? 1 : 0
    case .and: a != 0 && b != 0 ? 1 : 0
    case .or: a != 0 || b != 0 ? 1 : 0
    case .xor: (a != 0) != (b != 0) ? 1 : 0
    }
  }
}

extension BinaryOperator {
  /// The remainder with the sign of the divisor.
  private static func modulo(_ a: Double, _ b: Double) -> Double {
    let rest = fmod(a, b)
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest
  }
}

/// An operation on two tensors with NumPy's broadcasting.
///
/// The tensors are aligned at their last axis, and sizes of 1 are repeated.
///
/// Operands: two tensors.
package struct BinaryOperation: ElementwiseOperation {
  let operation: BinaryOperator

  package var name: String { operation.rawValue }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: true, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    guard operands.count == 2 else {
      throw ShapeError(.wrongInputCount, "\(name) needs two inputs")
    }
    return try CombinationRule.broadcast(operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (a, b) = (call.operands[0], call.operands[1])
    return ReferenceTensor(call.output) { operation.value(a.spread(at: $0), b.spread(at: $0)) }
  }
}

extension ReferenceTensor {
  /// The value at an index of the tensor that this one is broadcast to.
  func spread(at index: [Int]) -> Double {
    let spreadIndex = zip(index.suffix(sizes.count), sizes).map { position, size in
      size == 1 ? 0 : position
    }
    return values[offset(of: spreadIndex)]
  }
}
