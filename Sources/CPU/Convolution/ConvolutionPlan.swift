import ForgeOperations

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
    for (position, reader) in FusablePooling.positions(in: graph) {
      guard let convolution = planned[position] else { continue }
      poolable[position] = reader
      if convolution.algorithm.canPool {
        planned[position]?.pooling = graph.nodes[reader]
        fused.insert(reader)
      }
    }
  }

  /// Whether another step performs the operation of the node at this position.
  func isFused(_ position: Int) -> Bool { fused.contains(position) }
}
