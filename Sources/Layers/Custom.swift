import ForgeOperations
import ForgeShapes

/// A layer with your own arithmetic and your own shape rule.
///
/// `y = body(x₁, x₂, …)`. The body receives each input as a collection of values and the output as
/// a span, in row-major order (height, width, channels for an image), one example at a time. Their
/// indices are checked. The body must write every element of the output and must depend on nothing
/// but its inputs. Several threads may call it at once. To the compiler it is a barrier: nothing is
/// fused with it.
///
/// Closures cannot be compared, so two layers are equal when their names and source locations are.
///
/// - Input shape: one or more tensors, whatever the shape rule takes.
/// - Output shape: the result of the shape rule. The rule is also called with unknown sizes (`nil`)
///   if the model's input has them.
/// - Parameters: none.
/// - Errors: `customRule` when the shape rule throws, `wrongInputCount` for no tensor,
///   `emptyOutput` or `tooLarge` for a shape beyond bounds.
/// - Names elsewhere: Keras Lambda and subclasses of Layer, ONNX custom domains, Core ML custom.
///
/// ```swift
/// x --> Custom(shape: { $0[0] }, name: "halve") { inputs, output in
///   for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
/// }
/// ```
public struct Custom: BuiltInLayer {
  package let label: LayerLabel
  /// The shape rule and the arithmetic.
  public let operation: CustomOperation

  /// Creates a layer from closures.
  ///
  /// - Parameters:
  ///   - shape: returns the shape of the output for the shapes of the inputs; it throws if these do
  ///     not fit.
  ///   - name: the name in summaries.
  ///   - body: the arithmetic; an index out of range traps like that of an array.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    shape: @escaping CustomOperation.ShapeRule, name: String? = nil,
    body: @escaping CustomOperation.Body,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.operation = CustomOperation(shapeRule: shape, body: body)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Whether the names and the source locations are equal.
  public static func == (a: Custom, b: Custom) -> Bool {
    a.label == b.label
  }

  /// Lowers to one custom operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 1)
    for shape in shapes { _ = try ArgumentRule.tensor(shape) }
    lowering.output = try lowering.apply(.custom(operation), to: lowering.inputs)
  }
}
