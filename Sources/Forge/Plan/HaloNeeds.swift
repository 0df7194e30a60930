import ForgeOperations
import ForgeShapes

/// The border of zeros each image needs so that the convolutions reading it never look outside.
struct HaloNeeds {
  private var needs: [Int: Edges] = [:]

  /// The needs of every value of a bound graph; some kernels need none.
  init(_ graph: OperationGraph, _ convolutions: ConvolutionPlan) {
    for (position, node) in graph.nodes.enumerated() {
      let geometry: ConvolutionGeometry
      switch node.primitive {
      case .convolution(let window, _, _):
        guard convolutions.choices[position]?.readsBorder ?? true else { continue }
        geometry = window
      case .depthwiseConvolution(let window, _): geometry = window
      default: continue
      }
      guard let input = node.inputs.first,
        let edges = Self.halo(
          geometry, input: graph.shape(of: input), output: graph.shape(of: node.output))
      else { continue }
      needs[input.index] = Self.union(self[input], edges)
    }
  }

  /// The border a value needs.
  subscript(value: OperationGraph.Value) -> Edges { needs[value.index] ?? .none }

  /// Gives the tensors of a group that share memory the border that all of them need.
  mutating func share(_ values: [OperationGraph.Value]) {
    let shared = values.reduce(Edges.none) { Self.union($0, self[$1]) }
    for value in values { needs[value.index] = shared }
  }

  /// The pixels that windows reach beyond each edge of the input.
  private static func halo(_ geometry: ConvolutionGeometry, input: Shape, output: Shape) -> Edges? {
    guard let width = input.width, let height = input.height, let outWidth = output.width,
      let outHeight = output.height
    else { return nil }
    return border(
      geometry, input: Size(width: width, height: height),
      output: Size(width: outWidth, height: outHeight))
  }

  /// The pixels that windows reach beyond each edge of an input of known size.
  static func border(_ geometry: ConvolutionGeometry, input: Size, output: Size) -> Edges {
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
