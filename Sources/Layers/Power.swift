import ForgeOperations
import ForgeShapes

/// One tensor raised to the power of another, or of a constant, element by element.
///
/// `y = x₁ ^ x₂`, with NumPy's broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with a constant exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: ONNX Pow, Core ML powBroadcastable.
///
/// ```swift
/// [a, b] --> Power()
/// x --> Power(of: [2])
/// ```
public struct Power: ElementwiseLayer {
  package let label: LayerLabel
  /// The second operand: one value, or one per channel; `nil` for a second tensor.
  public let exponent: [Float]?
  package var constant: [Float]? { exponent }
  package var maximumInputs: Int { exponent == nil ? 2 : 1 }
  package var operation: BinaryOperator { .power }

  /// Creates a power.
  ///
  /// - Parameters:
  ///   - exponent: the second operand: one value, or one per channel; `nil` for a second tensor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    of exponent: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.exponent = exponent
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a product for the exponent 2, else to powers.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    guard exponent == [2], lowering.inputs.count == 1 else {
      lowering.output = try combine(in: &lowering)
      return
    }
    lowering.output = try lowering.apply(
      .binary(.multiply), to: [lowering.inputs[0], lowering.inputs[0]])
  }
}
