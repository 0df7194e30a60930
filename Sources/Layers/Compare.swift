import ForgeOperations
import ForgeShapes

/// A comparison of two tensors, or of one and a constant, element by element.
///
/// `y = 1` where the comparison holds, else 0, with NumPy's broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with a constant exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: ONNX Equal, Less, Greater and so on, Core ML greaterThan and so on.
///
/// ```swift
/// [a, b] --> Compare(.less)
/// x --> Compare(.greater, than: [0])
/// ```
public struct Compare: ElementwiseLayer {
  package let label: LayerLabel
  /// the comparison.
  public let comparison: Comparison
  /// The second operand: one value, or one per channel; `nil` for a second tensor.
  public let other: [Float]?
  package var constant: [Float]? { other }
  package var maximumInputs: Int { other == nil ? 2 : 1 }
  package var operation: BinaryOperator { comparison.operation }

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - comparison: the comparison.
  ///   - other: the second operand: one value, or one per channel; `nil` for a second tensor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ comparison: Comparison, than other: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.comparison = comparison
    self.other = other
    label = LayerLabel(name, fileID, line, column)
  }
}
