import ForgeShapes

/// The builder with which a layer expresses itself as primitive operations.
///
/// A layer's `lower(into:)` receives its inputs and parameters as values, applies primitives to
/// them, and sets its result:
/// ```swift
/// func lower(into lowering: inout Lowering) throws(ShapeError) {
///   let input = try lowering.input()
///   guard let count = lowering.shape(of: input).channels else { throw … }
///   let weights = try lowering.parameter(.weights, [.outputs: 10, .inputs: count])
///   lowering.output = try lowering.apply(.dense(outputs: 10), to: [input, weights])
/// }
/// ```
/// The shape of the layer's output, its parameters and its cost follow from these operations.
public struct Lowering {
  /// A tensor between primitives: an input, a parameter, a constant, or the result of a primitive.
  public struct Value: Hashable, Sendable, Encodable {
    /// The index into ``OperationGraph/shapes``.
    package let index: Int
    /// The graph that made it, or the one that graph was copied from.
    let graph: OperationGraph.Identity
  }

  /// The inputs of the layer, in order.
  public package(set) var inputs: [Value] = []
  /// The result of the layer, which the layer sets.
  public var output: Value?
  /// The name of the layer.
  public package(set) var layerName = ""

  /// The length of the model's sequences, if each prediction chooses it.
  package var length: Int?
  /// The largest length that a layer of the model states, if one does.
  package var maximumLength: Int?
  /// The graph so far.
  package var graph = OperationGraph()
  /// The parameters of the whole model, in the order of first use.
  package private(set) var parameters: [ParameterSpec] = []
  /// The parameters of the layer without duplicates.
  package private(set) var layerParameters: [ParameterSpec] = []
  /// The multiply-adds of the layer.
  package private(set) var layerMultiplyAdds = 0
  /// The axes of the sequences that layers make, as other frameworks have them.
  package internal(set) var sequenceAxes: [(sequence: Value, axes: SequenceAxes)] = []
  /// The values of ``layerParameters``.
  private var layerValues: [Value] = []
  /// The values of the parameters of earlier layers.
  private var earlierValues: [ParameterSpec: Value] = [:]
  private var layer = 0

  package init() {}

  /// Begins the layer at a position of the model.
  package mutating func begin(layer: Int, name: String, inputs: [Value]) {
    self.layer = layer
    self.layerName = name
    self.inputs = inputs
    output = nil
    for (spec, value) in zip(layerParameters, layerValues) { earlierValues[spec] = value }
    (layerParameters, layerValues) = ([], [])
    layerMultiplyAdds = 0
  }

  /// The output of the layer that has been lowered.
  ///
  /// - Throws: `ShapeError` when the layer has set none, or a value of another lowering.
  package func checkedOutput() throws(ShapeError) -> Value {
    guard let output else {
      throw ShapeError(
        .invalidArgument, "the layer sets no output", needs: "lowering.output to be set")
    }
    try check(output)
    return output
  }

  /// The only input of a layer that takes exactly one.
  ///
  /// - Throws: `ShapeError` for a different number of inputs, or for a shape that no tensor can
  ///   have.
  public func input() throws(ShapeError) -> Value {
    _ = try ArgumentRule.single(inputs.map { shape(of: $0) })
    return inputs[0]
  }

  /// The shape of a value.
  ///
  /// A value of another lowering, which ``apply(_:to:)`` rejects, has no axes.
  public func shape(of value: Value) -> Shape { graph.shape(of: value) }

  /// Checks that this lowering made a value.
  ///
  /// - Throws: `ShapeError` when another one made it.
  package func check(_ value: Value) throws(ShapeError) {
    guard graph.contains(value) else {
      throw ShapeError(
        .invalidArgument, "the layer uses a value of another lowering",
        needs: "its inputs, its parameters, and what apply has returned")
    }
  }

  /// A parameter of the layer.
  ///
  /// Layers with the same name share the values.
  ///
  /// - Parameters:
  ///   - type: the role of the parameter; a layer has one parameter of each type and set of
  ///     axes.
  ///   - shape: the meaning and the size of each axis in Forge's order, outermost first.
  /// - Returns: the parameter as an operand.
  /// - Throws: `ShapeError` when the sizes are out of bounds, an axis is stated twice, or the layer
  ///   has a parameter of the type with other sizes.
  public mutating func parameter(
    _ type: ParameterType, _ shape: KeyValuePairs<ParameterAxis, Int>
  ) throws(ShapeError) -> Value {
    try parameter(ParameterSpec(type, shape))
  }

  /// A parameter of the layer, from the specification of an operation.
  ///
  /// - Throws: as ``parameter(_:_:)``.
  public mutating func parameter(_ spec: ParameterSpec) throws(ShapeError) -> Value {
    let spec = spec.named(layerName)
    if let index = layerParameters.firstIndex(of: spec) { return layerValues[index] }
    guard spec.sizes.allSatisfy({ $0 >= 1 }) else { throw .emptyParameter(spec) }
    guard !spec.repeatsAxis else { throw .repeatedAxis(spec) }
    guard !layerParameters.contains(where: { $0.type == spec.type && $0.hasAxes(of: spec) }) else {
      throw .repeatedParameter(spec)
    }
    try SizeRule.bounded(spec)
    let value = earlierValues[spec] ?? addParameter(spec)
    layerParameters.append(spec)
    layerValues.append(value)
    return value
  }

  private mutating func addParameter(_ spec: ParameterSpec) -> Value {
    parameters.append(spec)
    return graph.addValue(
      Shape(sizes: spec.sizes), .constant(.parameter(parameters.count - 1)))
  }

  /// A constant with the given values in row-major order.
  ///
  /// - Throws: `ShapeError` when the number of values does not match the shape.
  public mutating func constant(_ values: [Float], shape: Shape) throws(ShapeError) -> Value {
    guard shape.elementCount == values.count else {
      throw .cannotReshape(values.count, to: shape.sizeText)
    }
    return graph.addValue(shape, .constant(.literal(values)))
  }

  /// A constant whose value `i` is the value of another at `start` + the sum of `i · strides`.
  ///
  /// - Parameters:
  ///   - value: a constant of this lowering.
  ///   - start: the place of the first value.
  ///   - shape: the shape of the result, which is known.
  ///   - strides: the distance between neighbors along each axis of `shape`; any sign.
  /// - Returns: the constant.
  /// - Throws: `ShapeError` when a place is outside, or `value` is not a constant.
  package mutating func strided(
    _ value: Value, start: Int, shape: Shape, strides: [Int]
  ) throws(ShapeError) -> Value {
    try check(value)
    guard let recipe = graph.constant(value), let count = self.shape(of: value).elementCount,
      let sizes = shape.sizes, sizes.count == strides.count, shape.elementCount != nil
    else {
      throw ShapeError(.invalidArgument, "only constants of known sizes have strided parts")
    }
    let reaches = zip(sizes, strides).map { ($0 - 1).multipliedSaturated(by: $1) }
    let lowest = reaches.reduce(start) { $0.addingSaturated(min($1, 0)) }
    let highest = reaches.reduce(start) { $0.addingSaturated(max($1, 0)) }
    guard lowest >= 0, highest < count else {
      throw ShapeError(.invalidArgument, "a part of a constant reaches outside")
    }
    return graph.addValue(
      shape,
      .constant(.strided(recipe, count: count, start: start, sizes: sizes, strides: strides)))
  }

  /// A state: a value that the layer keeps from one prediction to the next, zero before the first.
  ///
  /// Set what it becomes with ``setState(_:to:)``. Contexts and sessions of a runner hold the
  /// values, by the name of the layer and that of the state: `gru1.hidden`.
  ///
  /// - Parameters:
  ///   - name: the name in the layer.
  ///   - shape: the sizes, which must be known.
  /// - Returns: the value that a prediction begins with.
  /// - Throws: `ShapeError` when a size is not known or out of bounds, or when another state has
  ///   the name: one of this layer, or that of a layer that is used twice.
  public mutating func state(_ name: String, shape: Shape) throws(ShapeError) -> Value {
    try state(name, shape: shape, isAppendedTo: false)
  }

  /// A state, as ``state(_:shape:)``.
  ///
  /// - Parameters:
  ///   - name: the name in the layer.
  ///   - shape: the sizes, which must be known.
  ///   - isAppendedTo: whether it becomes itself with rows appended (`Primitive.appendRows`), of
  ///     which nothing reads those behind the present position. Then no prediction copies it.
  /// - Returns: the value that a prediction begins with.
  /// - Throws: `ShapeError`, as ``state(_:shape:)``.
  package mutating func state(
    _ name: String, shape: Shape, isAppendedTo: Bool
  ) throws(ShapeError) -> Value {
    _ = try ArgumentRule.known(try SizeRule.bounded(shape), "a state of known size")
    let stateName = "\(layerName).\(name)"
    if let other = graph.states.first(where: { $0.name == stateName }) {
      throw other.layer == layer ? .repeatedState(name) : .sharedState(stateName)
    }
    return graph.addState(stateName, shape, layer: layer, isAppendedTo: isAppendedTo)
  }

  /// Sets what a state of this layer becomes after the prediction.
  ///
  /// - Parameters:
  ///   - state: what ``state(_:shape:)`` has returned.
  ///   - value: a value of the same sizes.
  /// - Throws: `ShapeError` when the sizes differ, or `state` is none.
  public mutating func setState(_ state: Value, to value: Value) throws(ShapeError) {
    try check(state)
    try check(value)
    guard shape(of: state) == shape(of: value), graph.setState(state, to: value) else {
      throw ShapeError(
        .shapeMismatch, "a state cannot become a value of other sizes",
        received: shape(of: value).sizeText, needs: shape(of: state).sizeText)
    }
  }

  /// Applies a primitive to values and returns its result.
  ///
  /// - Throws: `ShapeError` when the values do not fit the primitive.
  public mutating func apply(
    _ primitive: Primitive, to inputs: [Value]
  ) throws(ShapeError) -> Value {
    for input in inputs { try check(input) }
    let output = try graph.addNode(primitive, inputs, layer: layer)
    let cost = primitive.traits.multiplyAdds.count(
      for: inputs.map { shape(of: $0) }, output: shape(of: output))
    layerMultiplyAdds = layerMultiplyAdds.addingSaturated(cost)
    return output
  }

  /// Applies an activation to a value; returns the value itself if it is linear or `nil`.
  public mutating func apply(
    _ activation: ActivationFunction?, to value: Value
  ) throws(ShapeError) -> Value {
    guard let activation, activation != .linear else { return value }
    return try apply(.activation(activation), to: [value])
  }
}
