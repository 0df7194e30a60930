import ForgeOperations
import ForgeShapes

/// The mean of two or more tensors, element by element.
///
/// `y = (x₁ + … + xₙ) · 1/n`, with NumPy's broadcasting.
///
/// - Input shape: two or more tensors whose sizes are equal or 1.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for fewer than two tensors, `shapeMismatch` for sizes that do not
///   broadcast.
/// - Names elsewhere: Keras Average, ONNX Mean, Core ML average.
///
/// ```swift
/// let y = [a, b, c] --> Average()
/// ```
public struct Average: ElementwiseLayer {
  package let label: LayerLabel
  package var constant: [Float]? { nil }
  package var operation: BinaryOperator { .add }

  /// Creates a mean.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to the sum of the tensors, divided by their number.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let sum = try combine(in: &lowering)
    lowering.output = try apply(
      .multiply, [1 / Float(lowering.inputs.count)], to: sum, in: &lowering)
  }
}
