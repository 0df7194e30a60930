import ForgeOperations

/// The difference of two tensors, or of one and a constant, element by element.
///
/// `y = x₁ − x₂`, with NumPy's broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with `constant` exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: Keras Subtract, ONNX Sub, Core ML subtractBroadcastable.
///
/// ```swift
/// let difference = [a, b] --> Subtract()
/// ```
public struct Subtract: ElementwiseLayer {
  package let label: LayerLabel
  /// The values subtracted from each element: one, or one per channel.
  public let constant: [Float]?
  package var maximumInputs: Int { constant == nil ? 2 : 1 }
  package var operation: BinaryOperator { .subtract }

  /// Creates a difference.
  ///
  /// - Parameters:
  ///   - constant: the values subtracted instead of a second tensor: one, or one per channel.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    constant: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.constant = constant
    label = LayerLabel(name, fileID, line, column)
  }
}
