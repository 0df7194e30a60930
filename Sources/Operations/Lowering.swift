import ForgeShapes

/// Where a layer writes itself down as primitive operations.
///
/// A layer's `lower(into:)` is given its inputs and parameters as values, applies primitives to them,
/// and names its result:
/// ```swift
/// func lower(into lowering: inout Lowering) throws(ShapeError) {
///   let weights = try lowering.parameter(.weights)
///   lowering.output = try lowering.apply(.dense(outputs: 10), to: lowering.inputs + [weights])
/// }
/// ```
public struct Lowering {
  /// A tensor between primitives.
  public typealias Value = OperationGraph.Value

  /// The inputs of the layer, in order.
  public package(set) var inputs: [Value] = []
  /// The result of the layer; a layer sets it.
  public var output: Value?
  /// The name of the layer.
  public package(set) var layerName = ""

  /// The graph so far.
  package var graph = OperationGraph()
  /// The parameters of the whole model, in the order of first use.
  package private(set) var parameters: [ParameterSpec] = []
  private var parameterValues: [ParameterSpec: Value] = [:]
  private var layer = 0
  private var layerParameters: [ParameterSpec] = []

  /// Creates an empty lowering.
  package init() {}

  /// Begins the layer at a position of the model.
  package mutating func begin(
    layer: Int, name: String, inputs: [Value], parameters: [ParameterSpec]
  ) {
    self.layer = layer
    self.layerName = name
    self.inputs = inputs
    self.output = nil
    self.layerParameters = parameters.map { $0.named(name) }
  }

  /// The shape of a value; that of no axes for a value of another lowering, which ``apply(_:to:)`` refuses.
  public func shape(of value: Value) -> Shape { graph.shape(of: value) }

  /// Checks that a value was made by this lowering.
  ///
  /// - Throws: `ShapeError` when it is that of another.
  package func check(_ value: Value) throws(ShapeError) {
    guard graph.contains(value) else {
      throw ShapeError(
        .invalidArgument, "the layer uses a value of another lowering",
        needs: "its inputs, its parameters, and what apply has given")
    }
  }

  /// The parameter of the given type that the layer has declared.
  ///
  /// Layers that share a name share the values.
  ///
  /// - Throws: `ShapeError` when the layer declares none of that type.
  public mutating func parameter(_ type: ParameterType) throws(ShapeError) -> Value {
    guard let spec = layerParameters.first(where: { $0.type == type }) else {
      throw ShapeError(
        .invalidArgument, "the layer uses a parameter it does not declare", received: type.name,
        needs: "a ParameterSpec for it in parameters(for:)")
    }
    if let value = parameterValues[spec] { return value }
    parameters.append(spec)
    let value = graph.addValue(
      Shape(sizes: spec.sizes), .constant(.parameter(parameters.count - 1)))
    parameterValues[spec] = value
    return value
  }

  /// A constant with the given values in row-major order.
  ///
  /// - Throws: `ShapeError` when the number of values is not that of the shape.
  public mutating func constant(_ values: [Float], shape: Shape) throws(ShapeError) -> Value {
    guard shape.elementCount == values.count else {
      throw .cannotReshape(values.count, to: shape.sizeText)
    }
    return graph.addValue(shape, .constant(.literal(values)))
  }

  /// A primitive applied to values; its result.
  ///
  /// - Throws: `ShapeError` when the values do not fit the primitive.
  public mutating func apply(
    _ primitive: Primitive, to inputs: [Value]
  ) throws(ShapeError)
    -> Value
  {
    for input in inputs { try check(input) }
    return try graph.addNode(primitive, inputs, layer: layer)
  }

  /// An activation applied to a value; the value itself when the function is linear or `nil`.
  public mutating func apply(
    _ activation: ActivationFunction?, to value: Value
  )
    throws(ShapeError) -> Value
  {
    guard let activation, activation != .linear else { return value }
    return try apply(.activation(activation), to: [value])
  }
}
