import ForgeShapes
import ForgeSystem

/// How the elements of a row become one.
public enum Reduction: String, Hashable, Sendable, Encodable {
  /// `Σ x`.
  case sum
  /// The mean.
  case mean
  /// The largest; NaN if one is.
  case maximum
  /// The smallest; NaN if one is.
  case minimum
  /// The product.
  case product
  /// `Σ |x|`.
  case l1
  /// `√Σ x²`.
  case l2
  /// `Σ x²`.
  case sumOfSquares
  /// `ln Σ x`.
  case logSum
  /// `ln Σ eˣ`.
  case logSumExp

  /// The result for the values of a row.
  func value(_ row: ArraySlice<Double>) -> Double {
    switch self {
    case .sum: return row.reduce(0, +)
    case .mean: return row.reduce(0, +) / Double(row.count)
    case .maximum: return row.dropFirst().reduce(row.first ?? 0, BinaryOperator.maximum.value)
    case .minimum: return row.dropFirst().reduce(row.first ?? 0, BinaryOperator.minimum.value)
    case .product: return row.reduce(1, *)
    case .l1: return row.reduce(0) { $0 + abs($1) }
    case .l2: return row.reduce(0) { $0 + $1 * $1 }.squareRoot()
    case .sumOfSquares: return row.reduce(0) { $0 + $1 * $1 }
    case .logSum: return log(row.reduce(0, +))
    case .logSumExp:
      let largest = Reduction.maximum.value(row)
      guard largest.isFinite else { return largest }
      return largest + log(row.reduce(0) { $0 + exp($1 - largest) })
    }
  }
}

/// The elements along the last axis reduced to one; the axis keeps size 1.
///
/// Operand: any tensor.
package struct ReduceRowsOperation: PrimitiveOperation {
  let kind: Reduction

  package var name: String { "reduce" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) -> Shape {
    Shape(Array(operands[0].dimensions.dropLast()) + [1])
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(unchecked: call.output, call.input.rows.map(kind.value))
  }
}

extension ReferenceTensor {
  /// The values along the last axis.
  var rows: [ArraySlice<Double>] {
    stride(from: 0, to: count, by: lastSize).map { values[$0..<($0 + lastSize)] }
  }
}

extension ReduceRowsOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let axis = part.ranges.count - 1
    return PartialComputation(nil, [part.with(0..<operands[0][axis], along: axis)])
  }
}
