import ForgeOperations

/// The product of two or more tensors, or of one and a constant, element by element.
///
/// `y = x₁ · x₂ · …`, with NumPy's broadcasting.
///
/// - Input shape: two or more tensors whose sizes are equal or 1; with `constant` one or more.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for too few tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: Keras Multiply, ONNX Mul, Core ML multiply.
///
/// ```swift
/// let y = [x, gates] --> Multiply()  // gates of (1, 1, channels) weigh each channel
/// ```
public struct Multiply: ElementwiseLayer {
  package let label: LayerLabel
  /// The factors of each element: one, or one per channel.
  public let constant: [Float]?
  package var operation: BinaryOperator { .multiply }

  /// Creates a product.
  ///
  /// - Parameters:
  ///   - constant: a further factor: one, or one per channel.
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
