import ForgeOperations
import ForgeShapes

/// Arithmetic of your own, with a shape rule of your own.
///
/// `y = body(x₁, x₂, …)`. The body gets each input as a collection of values and the output as a
/// span, in row-major order (height, width, channels for an image), one example at a time. Their
/// indices are checked. It must write every element of the output, must depend on nothing but its
/// inputs, and may be called from several threads at once. To the compiler it is a barrier: nothing is fused with it.
///
/// Closures cannot be compared, so two layers are equal when their names and places in source are.
///
/// - Input shape: one or more tensors, whatever the shape rule takes.
/// - Output shape: what the shape rule gives. The rule is also asked with unknown sizes (`nil`)
///   where the model's input has them.
/// - Parameters: none.
/// - Errors: `customRule` when the shape rule throws, `wrongInputCount` for no tensor,
///   `emptyOutput` or `tooLarge` for a shape beyond bounds.
/// - Names elsewhere: Keras Lambda and subclasses of Layer, ONNX custom domains, Core ML custom.
///
/// ```swift
/// x --> Custom(name: "halve", shape: { $0[0] }) { inputs, output in
///   for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
/// }
/// ```
public struct Custom: Layer {
  /// The name given.
  public let name: String?
  /// The place in source.
  public let place: SourcePlace
  /// The shape rule and the arithmetic.
  public let operation: CustomOperation

  /// Creates a layer from closures.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - shape: the shape of the output for the shapes of the inputs; it throws for what does not
  ///     fit.
  ///   - body: the arithmetic; an index beyond an input or the output ends the process, as with arrays.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil, shape: @escaping CustomOperation.ShapeRule,
    body: @escaping CustomOperation.Body,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.operation = CustomOperation(shapeRule: shape, body: body)
    self.name = name
    self.place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Whether name and place are the same.
  public static func == (a: Custom, b: Custom) -> Bool {
    a.name == b.name && a.place == b.place
  }

  /// One custom operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 1)
    for shape in shapes { _ = try ArgumentRule.tensor(shape) }
    lowering.output = try lowering.apply(.custom(operation), to: lowering.inputs)
  }
}
