import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// An image's shape, short enough for tables.
func image(_ width: Int?, _ height: Int?, _ channels: Int?) -> Shape {
  Shape(width: width, height: height, channels: channels)
}

/// Expects the rule of a layer to be broken in exactly these words.
func expectError(
  _ layer: some Layer, _ inputs: [Shape], _ kind: ShapeError.Kind, _ text: String,
  at place: SourceLocation = #_sourceLocation
) {
  let error = #expect(throws: ShapeError.self, sourceLocation: place) {
    try layer.outputShape(for: inputs)
  }
  #expect(error?.kind == kind, sourceLocation: place)
  #expect(error?.description == text, sourceLocation: place)
}

private func numbers(in text: String) -> [Int] {
  text.matches(of: /-?\d+/).compactMap { Int($0.output) }
}

/// The words for an argument that is not from 1 to 2²⁰.
func notPositive(_ name: String, _ value: String) -> String {
  let isTooLarge = numbers(in: value).allSatisfy { $0 >= 1 }
  return """
    \(name) must be \(isTooLarge ? "at most 1048576" : "positive")
      received  \(name): \(value)
      needs     numbers from 1 to 1048576
    """
}

/// The words for edges that are not from 0 to 2²⁰.
func negative(_ name: String, _ value: String) -> String {
  let isTooLarge = numbers(in: value).allSatisfy { $0 >= 0 }
  return """
    \(name) must \(isTooLarge ? "be at most 1048576" : "not be negative")
      received  \(name): \(value)
      needs     numbers from 0 to 1048576
    """
}

/// The words for an input that is not an image.
let notAnImage = """
  the input is not an image
    needs     three axes: height, width, channels
    remedy    put a Reshape before this layer
  """

/// The words for an unknown size; `what` is needed.
func unknownSize(_ what: String) -> String {
  """
  the size of the input is not known
    needs     \(what)
    remedy    give the Input a width and a height, or put a Resize before this layer
  """
}

/// A layer lowered on its own.
struct Lowered {
  /// The operations in order.
  let nodes: [OperationGraph.Node]
  /// The parameters in order of use.
  let parameters: [ParameterSpec]
  /// The operations as text, one a line: `convolution x0, weights, biases`.
  ///
  /// Inputs are `x0`, `x1`…, parameters go by their type, constants are their values, results of
  /// operations `v0`, `v1`….
  let text: [String]
  /// The constants in order.
  let constants: [(values: [Float], shape: Shape)]

  /// Lowers a layer called "layer" and expects that its output has the shape of its rule and that it
  /// uses the parameters it declares, each once.
  init(
    _ layer: some Layer, _ inputs: Shape..., at place: SourceLocation = #_sourceLocation
  ) throws {
    let shape = try layer.outputShape(for: inputs)
    let declared = try layer.parameters(for: inputs)
    var lowering = Lowering()
    let values = inputs.map { lowering.graph.addInput($0) }
    lowering.begin(layer: 3, name: "layer", inputs: values)
    try layer.lower(into: &lowering)
    let graph = lowering.graph
    let output = try #require(lowering.output, sourceLocation: place)
    #expect(graph.shape(of: output) == shape, sourceLocation: place)
    #expect(
      Set(lowering.parameters) == Set(declared.map { $0.named("layer") }), sourceLocation: place)

    nodes = graph.nodes
    parameters = lowering.parameters
    var names: [Lowering.Value: String] = [:]
    var constants: [(values: [Float], shape: Shape)] = []
    for (index, value) in values.enumerated() { names[value] = "x\(index)" }
    func name(_ value: Lowering.Value) -> String {
      if let name = names[value] { return name }
      switch graph.constant(value) {
      case .parameter(let index): return lowering.parameters[index].type.name
      case .literal(let numbers):
        constants.append((numbers, graph.shape(of: value)))
        return "\(numbers)"
      default: return "?"
      }
    }
    var lines: [String] = []
    for (index, node) in graph.nodes.enumerated() {
      let operands = node.inputs.map { name($0) }.joined(separator: ", ")
      lines.append("\(node.primitive.name) \(operands)")
      names[node.output] = "v\(index)"
      #expect(node.layers == [3], sourceLocation: place)
    }
    if graph.nodes.isEmpty { lines.append(name(output)) }
    text = lines
    self.constants = constants
  }
}
