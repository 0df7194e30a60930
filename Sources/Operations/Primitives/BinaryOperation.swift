import ForgeShapes

/// An operation on two values.
public enum BinaryOperator: String, Hashable, Sendable {
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

  /// The result of the operator for two numbers.
  func value(_ a: Double, _ b: Double) -> Double {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .maximum: a.isNaN || b.isNaN ? .nan : max(a, b)
    case .minimum: a.isNaN || b.isNaN ? .nan : min(a, b)
    case .prelu: a > 0 ? a : a * b
    }
  }
}

/// An operation on two tensors with NumPy's broadcasting.
///
/// The tensors are aligned at their last axis, and sizes of 1 are repeated.
///
/// Operands: two tensors.
package struct BinaryOperation: PrimitiveOperation {
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

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (a, b) = (call.operands[0], call.operands[1])
    return ReferenceTensor(call.output) { operation.value(a.spread(at: $0), b.spread(at: $0)) }
  }
}

extension ReferenceTensor {
  /// The value at an index of the tensor that this one is broadcast to.
  fileprivate func spread(at index: [Int]) -> Double {
    let own = zip(index.suffix(sizes.count), sizes).map { position, size in
      size == 1 ? 0 : position
    }
    return values[offset(of: own)]
  }
}
