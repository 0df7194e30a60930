import ForgeOperations
import ForgeShapes

/// The kernel of every convolution of a bound graph, and the poolings that are done in the same step.
struct ConvolutionPlan {
  /// The kernel by the node's position.
  private(set) var choices: [Int: KernelChoice] = [:]
  /// The pooling that a convolution does, by the convolution's position.
  private(set) var poolings: [Int: OperationGraph.Node] = [:]
  /// The position of the pooling that a convolution does or could do with another kernel.
  private(set) var poolable: [Int: Int] = [:]
  private var fused: Set<Int> = []

  /// Chooses for a graph whose sizes are known.
  ///
  /// Without `constants`, where weights are, these are taken to be evenly spread.
  ///
  /// - Throws: what reading weights throws.
  init(
    _ graph: OperationGraph, _ settings: PlanSettings, constants: PackedConstants? = nil
  ) throws {
    let readers = Self.readers(graph)
    for (position, node) in graph.nodes.enumerated() {
      guard case .convolution(let geometry, _, let groups) = node.primitive,
        let input = graph.shape(of: node.inputs[0]).sizes, input.count == 3,
        let output = graph.shape(of: node.output).sizes, output.count == 3
      else { continue }
      let isInput = graph.inputs.contains(node.inputs[0]) && node.residual == nil
      let choice =
        try
        (isInput
        ? KernelChoice.convolution(
          ofPlainImage: geometry, channels: input[2], outputs: output[2], groups: groups) : nil)
        ?? KernelChoice.convolution(
          geometry, input: input, output: output, groups: groups, settings: settings,
          weights: constants.flatMap { ConvolutionWeights(node.inputs[1], of: graph, $0) }
        ).reduced(
          geometry, input: input, output: output, groups: groups, settings: settings)
      choices[position] = choice
      guard settings.isEnabled(Rewrites.fusePooling), node.residual == nil,
        let readers = readers[node.output.index], readers.count == 1,
        let reader = readers.first, !graph.outputs.contains(node.output)
      else { continue }
      let pooling = graph.nodes[reader]
      guard Self.canFuse(pooling, after: node, sizes: output) else { continue }
      poolable[position] = reader
      if choice.canPool {
        poolings[position] = pooling
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
      || (pooling.activation == .linear && node.activation.keepsOrder)
  }
}

extension ActivationFunction {
  /// Whether a larger number never gives a smaller result, rounding included.
  fileprivate var keepsOrder: Bool {
    switch self {
    case .linear, .relu, .relu6, .clipped: true
    case .leakyReLU(let slope): slope > 0  // with 0 the sign of a zero would tell
    default: false
    }
  }
}

extension KernelChoice {
  /// Whether the kernel can pool what it makes.
  fileprivate var canPool: Bool {
    switch self {
    case .winograd(let form, _, _): form.canPool
    case .plainImage: true
    default: false
    }
  }
}
