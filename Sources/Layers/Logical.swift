import ForgeOperations
import ForgeShapes

/// A combination of Booleans, element by element.
///
/// `y = x₁ ∘ x₂`, where every number but 0 is true and the result is 1 or 0, with NumPy's
/// broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with a constant exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: ONNX And, Or, Xor, Core ML logicalAnd and so on.
///
/// ```swift
/// [a, b] --> Logical(.and)
/// ```
public struct Logical: ElementwiseLayer {
  package let label: LayerLabel
  /// the combination.
  public let combination: LogicalOperation
  /// The second operand: one value, or one per channel; `nil` for a second tensor.
  public let other: [Float]?
  package var constant: [Float]? { other }
  package var maximumInputs: Int { other == nil ? 2 : 1 }
  package var operation: BinaryOperator { combination.operation }

  /// Creates a combination.
  ///
  /// - Parameters:
  ///   - combination: the combination.
  ///   - other: the second operand: one value, or one per channel; `nil` for a second tensor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ combination: LogicalOperation, with other: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.combination = combination
    self.other = other
    label = LayerLabel(name, fileID, line, column)
  }
}

/// A combination of two Booleans.
public enum LogicalOperation: Hashable, Sendable {
  /// Both.
  case and
  /// At least one.
  case or
  /// Exactly one.
  case xor

  /// The operation.
  var operation: BinaryOperator {
    switch self {
    case .and: .and
    case .or: .or
    case .xor: .xor
    }
  }
}
