import ForgeOperations
import ForgeShapes

/// The zero border that each image needs so that convolutions never read outside its memory.
struct HaloNeeds {
  private var needs: [Int: Edges] = [:]

  /// Collects the borders that convolutions need whose algorithms read them.
  init(_ convolutions: some Sequence<PlannedConvolution>) {
    for convolution in convolutions where convolution.algorithm.readsBorder {
      let input = convolution.node.inputs[0]
      needs[input.index] = Self.union(self[input], Self.border(of: convolution.problem))
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
    let geometry = convolution.geometry
    let input = Size(width: convolution.input[1], height: convolution.input[0])
    let output = Size(width: convolution.output[1], height: convolution.output[0])
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
