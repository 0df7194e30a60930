import ForgeOperations
import ForgeShapes

/// Stage 5: the algorithm of every convolution of a bound graph and the poolings fused into them.
struct ConvolutionPlan {
  /// The convolutions by node position.
  private(set) var planned: [Int: PlannedConvolution] = [:]
  /// The position of the pooling that each convolution performs, or could with another algorithm.
  private(set) var poolable: [Int: Int] = [:]
  /// The borders of images and the images that share the memory of another.
  let layout: ImageLayout
  private var fused: Set<Int> = []

  /// Chooses the algorithms for a graph whose sizes are known.
  ///
  /// Without `constants`, the weights are assumed to suit every algorithm.
  ///
  /// - Throws: ``NoConvolutionAlgorithm``, and errors of reading the weights.
  init(
    _ graph: OperationGraph, _ settings: PlanSettings, constants: PackedConstants? = nil
  ) throws {
    var choice = ConvolutionChoice(graph, settings)
    // The first pass determines the borders of images, so that the second packs no weights in a
    // form that goes unused.
    try choice.choose()
    if let constants { try choice.choose(by: constants) }
    planned = choice.planned
    layout = choice.layout
    guard settings.isEnabled(PlanRewrites.fusePooling) else { return }
    let readers = Self.readers(graph)
    for (position, convolution) in planned {
      let node = convolution.node
      guard node.residual == nil, let readers = readers[node.output.index], readers.count == 1,
        let reader = readers.first, !graph.outputs.contains(node.output)
      else { continue }
      let pooling = graph.nodes[reader]
      guard Self.canFuse(pooling, after: node, sizes: convolution.problem.output) else { continue }
      poolable[position] = reader
      if convolution.algorithm.canPool {
        planned[position]?.pooling = pooling
        fused.insert(reader)
      }
    }
  }

  /// Whether another step performs the operation of the node at this position.
  func isFused(_ position: Int) -> Bool { fused.contains(position) }

  /// Returns the positions of the nodes that read each value, by value index.
  private static func readers(_ graph: OperationGraph) -> [Int: [Int]] {
    var readers: [Int: [Int]] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) {
        readers[operand.index, default: []].append(position)
      }
    }
    return readers
  }

  /// Whether a node is a 2×2 maximum pooling with stride 2 that convolution kernels can apply.
  private static func canFuse(
    _ pooling: OperationGraph.Node, after node: OperationGraph.Node, sizes: [Int]
  ) -> Bool {
    let two = Size(width: 2, height: 2)
    guard case .pooling(.maximum, let geometry) = pooling.primitive, geometry.kernel == two,
      geometry.stride == two, geometry.dilation == .one
    else { return false }
    let edges = geometry.edges(width: sizes[1], height: sizes[0])
    guard edges.top == 0, edges.left == 0, edges.bottom <= 1, edges.right <= 1 else { return false }
    // The step applies the activation last. It is the pooling's own, or a monotonic one, which
    // commutes exactly with the maximum.
    return node.activation == .linear
      || (pooling.activation == .linear && node.activation.isMonotonic)
  }
}
