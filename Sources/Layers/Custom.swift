import ForgeOperations
import ForgeShapes

/// A layer with your own arithmetic, and with your own shape rule and parameters if it needs them.
///
/// `y = body(x₁, x₂, …, p₁, p₂, …)`. The body receives each input and each parameter as a
/// collection of values and the output as a span, in row-major order (height, width, channels for
/// an image), one example at a time. Their indices are checked. The body must write every element
/// of the output and must depend on nothing but its inputs and parameters. Several threads may call
/// it at once. To the compiler it is a barrier: nothing is fused with it.
///
/// Closures cannot be compared, so two layers are equal when their names and source locations are.
///
/// - Input shape: one or more tensors, whatever the shape rule takes.
/// - Output shape: that of the first input, or the result of the shape rule. The rule is also
///   called with unknown sizes (`nil`) if the model's input has them.
/// - Parameters: those that the layer states, see ``ParameterSizes``; found under the layer's name
///   like those of any layer. They are not copied for a prediction.
/// - Errors: `customRule` when a rule throws, or returns unknown sizes for known ones,
///   `wrongInputCount` for no tensor, `unknownSize` for parameters whose sizes are not known,
///   `emptyOutput` or `tooLarge` for a shape beyond bounds.
/// - Names elsewhere: Keras Lambda and subclasses of Layer, ONNX custom domains, Core ML custom.
///
/// ```swift
/// x --> Custom(name: "halve") { inputs, output in
///   for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
/// }
/// x --> Custom(name: "bias", parameters: [.biases: [8]]) { inputs, parameters, output in
///   let biases = parameters[0]
///   for (index, value) in inputs[0].enumerated() { output[index] = value + biases[index % 8] }
/// }
/// ```
public struct Custom: BuiltInLayer {
  /// The parameters for the shapes of the inputs: the type and the sizes of each.
  public typealias ParameterRule =
    @Sendable (_ inputs: [Shape]) throws -> KeyValuePairs<ParameterType, ParameterSizes>

  package let label: LayerLabel
  /// The shape rule.
  public let shapeRule: CustomOperation.ShapeRule
  private let parameterRule: ParameterRule?
  private let body: CustomOperation.ParameterBody

  /// Creates a layer without parameters.
  ///
  /// - Parameters:
  ///   - shape: returns the shape of the output for the shapes of the inputs; it throws if these do
  ///     not fit. By default the shape of the first input.
  ///   - name: the name in summaries.
  ///   - body: the arithmetic; an index out of range traps like that of an array.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    shape: @escaping CustomOperation.ShapeRule = CustomOperation.sameShape, name: String? = nil,
    body: @escaping CustomOperation.Body,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(shape, LayerLabel(name, fileID, line, column), nil) { inputs, _, output in
      try body(inputs, &output)
    }
  }

  /// Creates a layer with parameters of fixed sizes.
  ///
  /// - Parameters:
  ///   - shape: returns the shape of the output for the shapes of the inputs; it throws if these do
  ///     not fit. By default the shape of the first input.
  ///   - name: the name of the parameters.
  ///   - parameters: the type and the sizes of each parameter, in the order in which the body
  ///     receives them.
  ///   - body: the arithmetic; an index out of range traps like that of an array.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    shape: @escaping CustomOperation.ShapeRule = CustomOperation.sameShape, name: String? = nil,
    parameters: KeyValuePairs<ParameterType, ParameterSizes>,
    body: @escaping CustomOperation.ParameterBody,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(shape, LayerLabel(name, fileID, line, column), { _ in parameters }, body)
  }

  /// Creates a layer with parameters whose sizes depend on the inputs.
  ///
  /// ```swift
  /// Custom(name: "bias", parameters: { shapes in [.biases: [shapes[0].channels]] }) {
  ///   inputs, parameters, output in
  ///   let channels = parameters[0].count
  ///   for (index, value) in inputs[0].enumerated() {
  ///     output[index] = value + parameters[0][index % channels]
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - shape: returns the shape of the output for the shapes of the inputs; it throws if these do
  ///     not fit. By default the shape of the first input.
  ///   - name: the name of the parameters.
  ///   - parameters: returns the type and the sizes of each parameter for the shapes of the inputs,
  ///     in the order in which the body receives them; it throws if the shapes do not fit.
  ///   - body: the arithmetic; an index out of range traps like that of an array.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    shape: @escaping CustomOperation.ShapeRule = CustomOperation.sameShape, name: String? = nil,
    parameters: @escaping ParameterRule,
    body: @escaping CustomOperation.ParameterBody,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(shape, LayerLabel(name, fileID, line, column), parameters, body)
  }

  private init(
    _ shapeRule: @escaping CustomOperation.ShapeRule, _ label: LayerLabel,
    _ parameterRule: ParameterRule?, _ body: @escaping CustomOperation.ParameterBody
  ) {
    self.label = label
    self.shapeRule = shapeRule
    self.parameterRule = parameterRule
    self.body = body
  }

  /// Whether the names and the source locations are equal.
  public static func == (a: Custom, b: Custom) -> Bool {
    a.label == b.label
  }

  /// Lowers to one custom operation on the inputs and the parameters.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 1)
    for shape in shapes { _ = try ArgumentRule.tensor(shape) }
    var operands = lowering.inputs
    for spec in try parameters(of: shapes) { operands.append(try lowering.parameter(spec)) }
    let operation = CustomOperation(
      shapeRule: shapeRule, parameterCount: operands.count - shapes.count, body: body)
    lowering.output = try lowering.apply(.custom(operation), to: operands)
  }

  /// The specifications of the parameters.
  private func parameters(of inputs: [Shape]) throws(ShapeError) -> [ParameterSpec] {
    guard let parameterRule else { return [] }
    let sizes: KeyValuePairs<ParameterType, ParameterSizes>
    do { sizes = try parameterRule(inputs) } catch {
      throw ShapeError(
        .customRule, "the parameter rule of the custom layer failed", received: "\(error)")
    }
    var specs: [ParameterSpec] = []
    for (type, sizes) in sizes { specs.append(try sizes.spec(type)) }
    return specs
  }
}
