import ForgeOperations
import ForgeShapes

/// Stage 5: the algorithm of every convolution of a bound graph, and the poolings that are done in
/// the same step.
struct ConvolutionPlan {
  /// The convolutions by the positions of their nodes.
  private(set) var planned: [Int: PlannedConvolution] = [:]
  /// The position of the pooling that a convolution does or could do with another algorithm.
  private(set) var poolable: [Int: Int] = [:]
  /// The borders of images, and what lies in the memory of something else.
  let layout: ImageLayout
  private var fused: Set<Int> = []

  /// Chooses for a graph whose sizes are known.
  ///
  /// Without `constants`, where weights are, these are taken to suit every algorithm.
  ///
  /// - Throws: what reading weights throws, ``NoConvolutionAlgorithm``.
  init(
    _ graph: OperationGraph, _ settings: PlanSettings, constants: PackedConstants? = nil
  ) throws {
    var choice = ConvolutionChoice(graph, settings)
    // Weights are looked at when it is known where images have borders, so that none is packed in
    // vain.
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

  /// Whether another step does the work of the node at a position.
  func isFused(_ position: Int) -> Bool { fused.contains(position) }

  /// The nodes that read each value, by position.
  private static func readers(_ graph: OperationGraph) -> [Int: [Int]] {
    var readers: [Int: [Int]] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) {
        readers[operand.index, default: []].append(position)
      }
    }
    return readers
  }

  /// Whether a node is the 2×2 maximum pooling with stride 2 that kernels do at their end.
  private static func canFuse(
    _ pooling: OperationGraph.Node, after node: OperationGraph.Node, sizes: [Int]
  ) -> Bool {
    let two = Size(width: 2, height: 2)
    guard case .pooling(.maximum, let geometry) = pooling.primitive, geometry.kernel == two,
      geometry.stride == two, geometry.dilation == .one
    else { return false }
    let edges = geometry.edges(width: sizes[1], height: sizes[0])
    guard edges.top == 0, edges.left == 0, edges.bottom <= 1, edges.right <= 1 else { return false }
    // The activation comes last in the step: it is the pooling's own, or one that the maximum may
    // trade places with, to the bit.
    return node.activation == .linear
      || (pooling.activation == .linear && node.activation.isMonotonic)
  }
}
