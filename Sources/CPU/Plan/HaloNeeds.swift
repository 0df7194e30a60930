import ForgeOperations
import ForgeShapes

/// The zero border that each image needs so that convolutions never read outside its memory.
struct HaloNeeds {
  private var needs: [Int: Edges] = [:]

  /// Collects the borders that convolutions need whose algorithms read them, those of integers
  /// included.
  init(_ convolutions: some Sequence<PlannedConvolution>, _ graph: OperationGraph) {
    for convolution in convolutions where convolution.algorithm.readsBorder {
      let input = convolution.node.inputs[0]
      needs[input.index] = Self.union(self[input], Self.border(of: convolution.problem))
    }
    for node in graph.nodes {
      guard case .quantizedProduct(let product) = node.primitive,
        case .convolution(let geometry, _, _) = product.form
      else { continue }
      let border = Self.border(
        of: geometry, graph.imageSizes(of: node.inputs[0]), graph.imageSizes(of: node.output))
      needs[node.inputs[0].index] = Self.union(self[node.inputs[0]], border)
    }
  }

  /// The border that a value needs.
  subscript(value: OperationGraph.Value) -> Edges { needs[value.index] ?? .none }

  /// Extends the borders of values that share memory to their union.
  mutating func share(_ values: [OperationGraph.Value]) {
    let shared = values.reduce(Edges.none) { Self.union($0, self[$1]) }
    for value in values { needs[value.index] = shared }
  }

  /// Returns the number of pixels that windows extend beyond each edge of the input.
  static func border(of convolution: ConvolutionProblem) -> Edges {
    border(of: convolution.geometry, convolution.input, convolution.output)
  }

  /// Returns the number of pixels that windows extend beyond each edge of an image.
  static func border(of geometry: ConvolutionGeometry, _ from: [Int], _ to: [Int]) -> Edges {
    let input = Size(width: from[1], height: from[0])
    let output = Size(width: to[1], height: to[0])
    let edges = geometry.edges(width: input.width, height: input.height)
    let reach = { (output: Int, stride: Int, extent: Int, before: Int, input: Int) in
      max((output - 1) * stride + extent - before - input, 0)
    }
    return Edges(
      top: edges.top, left: edges.left,
      bottom: reach(
        output.height, geometry.stride.height, geometry.extent.height, edges.top, input.height),
      right: reach(
        output.width, geometry.stride.width, geometry.extent.width, edges.left, input.width))
  }

  private static func union(_ a: Edges, _ b: Edges) -> Edges {
    Edges(
      top: max(a.top, b.top), left: max(a.left, b.left), bottom: max(a.bottom, b.bottom),
      right: max(a.right, b.right))
  }
}
