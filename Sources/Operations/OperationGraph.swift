import ForgeShapes
import Synchronization

/// A model as primitive operations on values: what layers are lowered to and rewrites work on.
///
/// Nodes stand in an order in which every input is made before it is used. Shapes of values may be
/// unknown while an input's size is; `binding(inputs:)` makes them known.
public struct OperationGraph: Sendable {
  /// One result: of a node, an input of the model, or a constant.
  public struct Value: Hashable, Sendable {
    /// The index into ``OperationGraph/shapes``.
    public let index: Int
    /// The graph it was made by, or of which that one is a copy.
    fileprivate let graph: Int
  }

  /// Where a value comes from.
  public enum Origin: Sendable {
    /// The model's input of this index.
    case input(Int)
    /// A parameter or other constant.
    case constant(ConstantRecipe)
    /// The output of a node.
    case node
  }

  /// One operation with its operands.
  public struct Node: Sendable {
    /// What it computes.
    public var primitive: Primitive
    /// Its operands in the order the primitive states.
    public var inputs: [Value]
    /// Added to the result before ``activation``; of the output's shape.
    public var residual: Value?
    /// Applied last.
    public var activation: ActivationFunction
    /// The result.
    public var output: Value
    /// The layers it does the work of, as positions in the model.
    public var layers: [Int]
  }

  /// The operations in order.
  public var nodes: [Node] = []
  /// The shape of each value.
  public private(set) var shapes: [Shape] = []
  /// The origin of each value.
  public private(set) var origins: [Origin] = []
  /// The inputs of the model.
  public internal(set) var inputs: [Value] = []
  /// The outputs of the model.
  public var outputs: [Value] = []
  /// The values of layers by name, for `keep`: the result of each layer, where it still exists.
  public var layerOutputs: [Int: Value] = [:]

  /// Tells the graph, and its copies, from all others of the process.
  private let identity = Self.created.add(1, ordering: .relaxed).newValue
  private static let created = Atomic(0)

  /// Creates an empty graph.
  public init() {}

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

  /// Puts the inputs into the order of the model's declaration.
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

  /// Whether a value is one of this graph.
  package func contains(_ value: Value) -> Bool {
    value.graph == identity && shapes.indices.contains(value.index)
  }

  /// The shape of a value; that of no axes for a value of another graph.
  public func shape(of value: Value) -> Shape {
    contains(value) ? shapes[value.index] : Shape(sizes: [])
  }

  /// The recipe of a constant value, else `nil`.
  package func constant(_ value: Value) -> ConstantRecipe? {
    if case .constant(let recipe) = origins[value.index] { recipe } else { nil }
  }

  /// The operands of a node, the residual among them.
  package func operands(of node: Node) -> [Value] {
    node.residual.map { node.inputs + [$0] } ?? node.inputs
  }

  /// The graph with inputs of the given shapes and every other shape worked out anew.
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

  /// A node that does not fit the sizes a model was given at run time.
  package struct BindingError: Error {
    /// The index of the node.
    package let node: Int
    /// The rule it breaks.
    package let error: ShapeError
  }
}

/// How to make the values of a constant.
///
/// Recipes keep a compile from holding two copies of every parameter: they are carried out one
/// at a time, when a value is written into its packed place.
public indirect enum ConstantRecipe: Sendable {
  /// The parameter of this index, in Forge's own layout.
  case parameter(Int)
  /// These values.
  case literal([Float])
  /// Another constant, each slice along `axis` multiplied by its factor (batch-norm folding).
  case scaled(ConstantRecipe, axis: Int, sizes: [Int], by: [Float])
}
