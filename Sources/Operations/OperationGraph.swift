import ForgeShapes
import Synchronization

/// A model as primitive operations on values: the result of lowering and the subject of rewrites.
///
/// Nodes are in topological order. The shapes of values may be unknown while an input's size is;
/// `binding(inputs:)` makes them known.
package struct OperationGraph: Sendable, Encodable {
  /// One result: of a node, an input of the model, or a constant.
  package typealias Value = Lowering.Value

  /// The origin of a value.
  package enum Origin: Sendable, Encodable {
    /// The model's input at this index.
    case input(Int)
    /// A parameter or other constant.
    case constant(ConstantRecipe)
    /// The output of a node.
    case node
  }

  /// A value that a layer keeps from one prediction to the next; zero before the first.
  package struct State: Sendable, Encodable {
    /// The name, such as `gru1.hidden`.
    package let name: String
    /// The position of the layer in the model.
    package let layer: Int
    /// The value that a prediction reads.
    package let present: Value
    /// The value that it leaves.
    var next: Value
    /// Whether the layer only appends to it and reads nothing behind its present position.
    let isAppendedTo: Bool
  }

  /// Identifies a graph and its copies within the process; two equal graphs have two of them.
  package struct Identity: Hashable, Sendable, Encodable {
    private let number = Self.created.add(1, ordering: .relaxed).newValue
    private static let created = Atomic(0)

    /// Encodes nothing: keys of equal graphs are equal.
    package func encode(to encoder: any Encoder) {}
  }

  /// One operation with its operands.
  package struct Node: Sendable, Encodable {
    /// The operation.
    package var primitive: Primitive
    /// The operands in the order that the primitive states.
    package var inputs: [Value]
    /// The value added to the result before ``activation``, with the shape of the output.
    package var residual: Value?
    /// The function applied last.
    package var activation: ActivationFunction
    /// The result.
    package var output: Value
    /// The layers it computes, as positions in the model.
    package var layers: [Int]
  }

  /// The operations in order.
  package var nodes: [Node] = []
  /// The shape of each value.
  package private(set) var shapes: [Shape] = []
  /// The origin of each value.
  package private(set) var origins: [Origin] = []
  /// The inputs of the model.
  package internal(set) var inputs: [Value] = []
  /// The outputs of the model.
  package var outputs: [Value] = []
  /// What layers keep from one prediction to the next.
  ///
  /// The present values are the last of ``inputs``, the next ones the last of ``outputs``.
  package private(set) var states: [State] = []
  /// The result of each layer by position, where it still exists, for `keep`.
  package var layerOutputs: [Int: Value] = [:]
  /// Whether inputs are sequences whose length each prediction chooses; sizes are the largest ones.
  package var hasVaryingLength = false
  /// The indices of constants that are not folded with others, because the results of doing so
  /// would depend on the length of a sequence.
  package var computedInPredictions: Set<Int> = []

  /// The scales of weights that are 8-bit integers times the scale of their output, by the
  /// index of the value: one for each output, or one for all.
  ///
  /// They come from a file, so what relies on them checks the weights.
  package var weightScales: [Int: [Float]] = [:]

  /// The blocks of 4-bit weights, by the index of the value; a hint, too.
  package var weightBlocks: [Int: WeightBlocks] = [:]

  /// Identifies the graph and its copies within the process.
  private var identity = Identity()

  package init() {}

  /// Adds a value.
  package mutating func addValue(_ shape: Shape, _ origin: Origin) -> Value {
    shapes.append(shape)
    origins.append(origin)
    return Value(index: shapes.count - 1, graph: identity)
  }

  /// Adds an input of the model.
  package mutating func addInput(_ shape: Shape) -> Value {
    let value = addValue(shape, .input(inputs.count))
    inputs.append(value)
    return value
  }

  /// Adds a state; ``closeStates()`` makes it an input and an output.
  package mutating func addState(
    _ name: String, _ shape: Shape, layer: Int, isAppendedTo: Bool = false
  ) -> Value {
    let value = addValue(shape, .input(-1))
    states.append(
      State(name: name, layer: layer, present: value, next: value, isAppendedTo: isAppendedTo))
    return value
  }

  /// Sets what a state becomes after the prediction; returns whether there is such a state.
  package mutating func setState(_ present: Value, to next: Value) -> Bool {
    guard let index = states.firstIndex(where: { $0.present == present }) else { return false }
    states[index].next = next
    return true
  }

  /// Appends the states to the inputs and outputs, which must be complete.
  package mutating func closeStates() {
    for state in states {
      origins[state.present.index] = .input(inputs.count)
      inputs.append(state.present)
      outputs.append(state.next)
    }
  }

  /// The inputs without the states.
  package var modelInputs: ArraySlice<Value> { inputs.dropLast(states.count) }

  /// The outputs without the states.
  package var modelOutputs: ArraySlice<Value> { outputs.dropLast(states.count) }

  /// Sorts the inputs into the order of the model's declaration.
  package mutating func reorderInputs(_ order: [Value]) {
    inputs = order
    for (position, value) in order.enumerated() { origins[value.index] = .input(position) }
  }

  /// Adds a node and its output, whose shape follows from the primitive's rule.
  package mutating func addNode(
    _ primitive: Primitive, _ inputs: [Value], layer: Int
  ) throws(ShapeError) -> Value {
    let shape = try primitive.checkedShape(for: inputs.map { shapes[$0.index] })
    let output = addValue(shape, .node)
    nodes.append(
      Node(
        primitive: primitive, inputs: inputs, residual: nil, activation: .linear, output: output,
        layers: [layer]))
    return output
  }

  /// Whether a value belongs to this graph.
  package func contains(_ value: Value) -> Bool {
    value.graph == identity && shapes.indices.contains(value.index)
  }

  /// The shape of a value; one without axes for a value of another graph.
  package func shape(of value: Value) -> Shape {
    contains(value) ? shapes[value.index] : Shape(sizes: [])
  }

  /// The recipe of a constant value, else `nil`.
  package func constant(_ value: Value) -> ConstantRecipe? {
    if case .constant(let recipe) = origins[value.index] { recipe } else { nil }
  }

  /// The operands of a node, including the residual.
  package func operands(of node: Node) -> [Value] {
    node.residual.map { node.inputs + [$0] } ?? node.inputs
  }

  /// The graph with inputs of the given shapes and all other shapes inferred from them.
  ///
  /// - Throws: ``BindingError`` with the first node that does not fit.
  package func binding(inputs bound: [Shape]) throws(BindingError) -> OperationGraph {
    var graph = self
    for (value, shape) in zip(inputs, bound) { graph.shapes[value.index] = shape }
    for (index, node) in nodes.enumerated() {
      do throws(ShapeError) {
        graph.shapes[node.output.index] = try node.primitive.checkedShape(
          for: node.inputs.map { graph.shapes[$0.index] })
      } catch {
        throw BindingError(node: index, error: error)
      }
    }
    return graph
  }

  /// The same graph with values that are those of another graph of the same nodes.
  ///
  /// Graphs that were made in the same way, for inputs of other sizes, have the same nodes.
  package func sharingValues(with other: OperationGraph) -> OperationGraph {
    let renamed = { (value: Value) in Value(index: value.index, graph: other.identity) }
    var graph = self
    graph.identity = other.identity
    for index in graph.nodes.indices {
      graph.nodes[index].inputs = graph.nodes[index].inputs.map(renamed)
      graph.nodes[index].residual = graph.nodes[index].residual.map(renamed)
      graph.nodes[index].output = renamed(graph.nodes[index].output)
    }
    graph.inputs = graph.inputs.map(renamed)
    graph.outputs = graph.outputs.map(renamed)
    graph.states = graph.states.map { state in
      State(
        name: state.name, layer: state.layer, present: renamed(state.present),
        next: renamed(state.next), isAppendedTo: state.isAppendedTo)
    }
    graph.layerOutputs = graph.layerOutputs.mapValues(renamed)
    return graph
  }

  /// Whether another graph has the same operations on the same values, whatever their sizes.
  package func hasSameNodes(as other: OperationGraph) -> Bool {
    nodes.count == other.nodes.count && shapes.count == other.shapes.count
      && zip(nodes, other.nodes).allSatisfy { node, other in
        node.primitive.name == other.primitive.name && node.output.index == other.output.index
          && node.inputs.map(\.index) == other.inputs.map(\.index)
          && node.residual?.index == other.residual?.index && node.layers == other.layers
      }
  }

  /// A node that does not fit the input sizes given at run time.
  package struct BindingError: Error {
    /// The index of the node.
    package let node: Int
    /// The violated rule.
    package let error: ShapeError
  }
}

/// Describes how to compute the values of a constant.
///
/// With recipes, a compile need not hold two copies of every parameter: each is evaluated when its
/// values are packed.
package indirect enum ConstantRecipe: Sendable, Encodable {
  /// The parameter at this index, in Forge's own layout.
  case parameter(Int)
  /// These values.
  case literal([Float])
  /// Another constant with each slice along `axis` multiplied by its factor (batch-norm folding).
  case scaled(ConstantRecipe, axis: Int, sizes: [Int], by: [Float])
  /// The 8-bit integers nearest to another constant, −127 to 127, times their scales: one for
  /// each slice along the first axis.
  case rounded(ConstantRecipe, scales: [Float])
  /// Values of another constant of `count` values: value `i` is at `start` + the sum of
  /// `i · strides`, for all indices below `sizes`.
  case strided(ConstantRecipe, count: Int, start: Int, sizes: [Int], strides: [Int])
  /// The values of constants of these counts, one after the other.
  case joined([ConstantRecipe], counts: [Int])
}
