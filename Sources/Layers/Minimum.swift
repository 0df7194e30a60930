import ForgeOperations

/// The smallest of two or more tensors, or of one and a constant, element by element.
///
/// `y = min(x₁, x₂, …)`, or NaN if any is, with NumPy's broadcasting.
///
/// - Input shape: two or more tensors whose sizes are equal or 1; with `constant` one or more.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for too few tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: Keras Minimum, ONNX Min, Core ML min.
///
/// ```swift
/// let y = [a, b] --> Minimum()
/// ```
public struct Minimum: ElementwiseLayer {
  package let label: LayerLabel
  /// The values compared with each element: one, or one per channel.
  public let constant: [Float]?
  package var operation: BinaryOperator { .minimum }

  /// Creates a minimum.
  ///
  /// - Parameters:
  ///   - constant: the values compared with each element: one, or one per channel.
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
