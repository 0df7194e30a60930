import ForgeOperations
import ForgeShapes

/// The quotient of two tensors, or of one and a constant, element by element.
///
/// `y = x₁ / x₂`, with NumPy's broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with a constant exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: ONNX Div, Core ML divideBroadcastable.
///
/// ```swift
/// [a, b] --> Divide()
/// x --> Divide(by: [255])
/// ```
public struct Divide: ElementwiseLayer {
  package let label: LayerLabel
  /// The second operand: one value, or one per channel; `nil` for a second tensor.
  public let divisor: [Float]?
  package var constant: [Float]? { isProduct ? divisor?.map { 1 / $0 } : divisor }
  package var maximumInputs: Int { divisor == nil ? 2 : 1 }
  package var operation: BinaryOperator { isProduct ? .multiply : .divide }
  /// Whether all divisors are powers of two, so products with their reciprocals are exact.
  private var isProduct: Bool {
    divisor?.allSatisfy {
      $0.isNormal && $0.significandBitPattern == 0 && (1 / $0).isNormal
    } ?? false
  }

  /// Creates a quotient.
  ///
  /// - Parameters:
  ///   - divisor: the second operand: one value, or one per channel; `nil` for a second tensor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    by divisor: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.divisor = divisor
    label = LayerLabel(name, fileID, line, column)
  }
}
