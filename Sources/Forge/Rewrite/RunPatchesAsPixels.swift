import ForgeOperations
import ForgeShapes

/// Makes a convolution of large patches of an image of few channels a pointwise one.
///
/// If the windows lie side by side, as the patches of a vision transformer do, each becomes a pixel
/// of a smaller image, whose channels are the window's rows one after the other. The weights are in
/// this order already. The copy takes little time beside the products, which can then be computed
/// by any algorithm for pointwise convolutions.
enum RunPatchesAsPixels: Rewrite {
  static let name = "runPatchesAsPixels"

  /// The fewest numbers of a patch, and outputs per patch, for which the copy is faster.
  private static let (leastNumbers, leastOutputs) = (256, 128)
  /// The most channels: images of whole blocks of 16 would have to be unblocked and blocked again.
  private static let mostChannels = 15

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    // Reshapes have the sizes of the longest sequence.
    guard !graph.hasVaryingLength else { return 0 }
    var replacements: [Int: [OperationGraph.Node]] = [:]
    for (position, node) in graph.nodes.enumerated() {
      replacements[position] = pointwise(node, &graph)
    }
    graph.replaceNodes(replacements)
    return replacements.count
  }

  /// The nodes that compute a convolution of patches, `nil` for other nodes.
  private static func pointwise(
    _ node: OperationGraph.Node, _ graph: inout OperationGraph
  ) -> [OperationGraph.Node]? {
    guard case .convolution(let geometry, let outputs, groups: 1) = node.primitive,
      let weights = graph.constant(node.inputs[1]),
      let input = graph.shape(of: node.inputs[0]).sizes, input[2] <= mostChannels,
      let patches = Patches(geometry, image: input)
    else { return nil }
    let numbers = patches.height * patches.row
    guard numbers >= leastNumbers, outputs >= leastOutputs else { return nil }
    let (rows, columns) = (input[0] / patches.height, input[1] / patches.width)
    var nodes: [OperationGraph.Node] = []
    var image = node.inputs[0]
    let split = [rows, patches.height, columns, patches.row]
    let joined = [rows, columns, numbers]
    let copy: [(primitive: Primitive, sizes: [Int])] = [
      (.reshape(split), split),
      (.permute([0, 2, 1, 3]), [rows, columns, patches.height, patches.row]),
      (.reshape(joined), joined),
    ]
    for (primitive, sizes) in copy {
      var step = node
      step.primitive = primitive
      step.inputs = [image]
      step.residual = nil
      step.activation = .linear
      step.output = graph.addValue(Shape(sizes: sizes), .node)
      nodes.append(step)
      image = step.output
    }
    var product = node
    product.primitive = .convolution(
      ConvolutionGeometry(kernel: .one), outputs: outputs, groups: 1)
    product.inputs[0] = image
    product.inputs[1] = graph.addValue(
      Shape(sizes: [outputs, 1, 1, numbers]), .constant(weights))
    return nodes + [product]
  }

  /// The windows of a convolution that lie side by side and cover the image.
  private struct Patches {
    let width, height: Int
    /// The numbers of a row of a patch.
    let row: Int

    init?(_ geometry: ConvolutionGeometry, image: [Int]) {
      (width, height) = (geometry.kernel.width, geometry.kernel.height)
      row = width * image[2]
      guard geometry.stride == geometry.kernel, geometry.dilation == .one,
        image[0].isMultiple(of: height), image[1].isMultiple(of: width),
        geometry.edges(width: image[1], height: image[0]) == .none
      else { return nil }
    }
  }
}
