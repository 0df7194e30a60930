import ForgeOperations
import ForgeShapes

/// Folds zero padding around an image into the following convolution or pooling.
///
/// A convolution reads its own padding as zeros, and so does an average that counts its border. An
/// average over a window without padding of its own begins to count it. A maximum ignores padding:
/// zeros change none where no value is negative, as behind relu.
enum FoldPadding: Rewrite {
  static let name = "foldPadding"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var count = 0
    for position in graph.nodes.indices {
      guard let input = graph.nodes[position].inputs.first,
        let producer = index.producer[input.index],
        case .pad(let edges) = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear,
        let folded = folded(
          graph.nodes[position].primitive, edges, shape: graph.shape(of: input),
          isNonNegative: isNonNegative(graph.nodes[producer].inputs[0], graph, index)),
        // A window that rounds up may only start in the image and the padding of its own.
        keepsShape(folded, of: graph.nodes[position], graph.nodes[producer], graph)
      else { continue }
      graph.nodes[position].primitive = folded
      graph.bypass(producer, before: position)
      count += 1
    }
    return count
  }

  /// The operation on an image without its padding; `nil` where it would compute something else.
  private static func folded(
    _ primitive: Primitive, _ edges: Edges, shape: Shape, isNonNegative: Bool
  ) -> Primitive? {
    if case .pooling(let kind, let geometry) = primitive {
      guard let padded = padded(geometry, by: edges, shape: shape) else { return nil }
      switch kind {
      case .maximum: return isNonNegative ? .pooling(.maximum, padded) : nil
      case .averageAll: return .pooling(.averageAll, padded)
      case .averageInside:
        // Windows that reach over the edge of the image are divided by fewer taps.
        let isInside = padded.padding == .edges(edges) && geometry.rounding == .floor
        return isInside ? .pooling(.averageAll, padded) : nil
      }
    }
    guard var operation = primitive.operation as? any ZeroPaddedOperation,
      let padded = padded(operation.geometry, by: edges, shape: shape)
    else { return nil }
    operation.geometry = padded
    return operation.primitive
  }

  /// Whether an operation has the output of a node, on the input of the node before it.
  private static func keepsShape(
    _ folded: Primitive, of node: OperationGraph.Node, _ producer: OperationGraph.Node,
    _ graph: OperationGraph
  ) -> Bool {
    if case .pooling(_, let geometry) = folded, geometry.rounding == .ceiling {
      let shape = try? folded.operation.outputShape(for: [graph.shape(of: producer.inputs[0])])
      return shape?.sizes != nil && shape == graph.shape(of: node.output)
    }
    return true
  }

  /// Whether a value is the result of a function that is never negative.
  private static func isNonNegative(
    _ value: OperationGraph.Value, _ graph: OperationGraph, _ index: GraphIndex
  ) -> Bool {
    guard let producer = index.producer[value.index] else { return false }
    var last = graph.nodes[producer].activation
    if case .activation(let function) = graph.nodes[producer].primitive, last == .linear {
      last = function
    }
    switch last {
    case .relu, .relu6, .sigmoid, .hardSigmoid, .softplus: return true
    default: return false
    }
  }

  /// The window with wider padding, unless it exceeds the limit of a layer.
  private static func padded(
    _ geometry: ConvolutionGeometry, by edges: Edges, shape: Shape
  ) -> ConvolutionGeometry? {
    let edgesBefore: Edges
    switch geometry.padding {
    case .valid: edgesBefore = .none
    case .edges(let edges): edgesBefore = edges
    case .same:
      guard let width = shape.width, let height = shape.height else { return nil }
      edgesBefore = geometry.edges(width: width, height: height)
    }
    let padded = geometry.withPadding(.edges(edgesBefore + edges))
    return (try? padded.validate()) == nil ? nil : padded
  }
}
