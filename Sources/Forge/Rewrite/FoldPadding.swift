import ForgeOperations
import ForgeShapes

/// Folds zero padding around an image into the following convolution.
///
/// Poolings are excluded: they ignore their padding, while convolutions read it as zeros.
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
        var operation = graph.nodes[position].primitive.operation as? any ZeroPaddedOperation,
        let padded = padded(operation.geometry, by: edges, shape: graph.shape(of: input))
      else { continue }
      operation.geometry = padded
      graph.nodes[position].primitive = operation.primitive
      graph.bypass(producer, before: position)
      count += 1
    }
    return count
  }

  /// The window with wider padding, unless it exceeds the limit of a layer.
  private static func padded(
    _ geometry: ConvolutionGeometry, by edges: Edges, shape: Shape
  ) -> ConvolutionGeometry? {
    let own: Edges
    switch geometry.padding {
    case .valid: own = .none
    case .edges(let edges): own = edges
    case .same:
      guard let width = shape.width, let height = shape.height else { return nil }
      own = geometry.edges(width: width, height: height)
    }
    let padded = geometry.withPadding(.edges(own + edges))
    return (try? padded.validate()) == nil ? nil : padded
  }
}
