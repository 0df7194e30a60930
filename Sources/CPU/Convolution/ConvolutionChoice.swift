import ForgeOperations

/// Chooses the algorithms of all convolutions of a graph.
///
/// The choices depend on each other: an image has the border that the algorithms reading it need,
/// and some algorithms require images without a border.
struct ConvolutionChoice {
  private let graph: OperationGraph
  private let settings: PlanSettings
  private let nodes: [(position: Int, problem: ConvolutionProblem)]
  /// The candidates of each node in order of preference.
  private let ranked: [[any ConvolutionAlgorithm]]
  /// The positions of nodes whose inputs have gaps between rows.
  private var gapped: Set<Int> = []

  /// The convolutions with their chosen algorithms, by node position.
  private(set) var planned: [Int: PlannedConvolution] = [:]
  /// The image layout that the chosen algorithms require.
  private(set) var layout: ImageLayout

  /// Collects the candidates of every convolution.
  init(_ graph: OperationGraph, _ settings: PlanSettings) {
    self.graph = graph
    self.settings = settings
    let poolings = FusablePooling.positions(in: graph)
    nodes = graph.nodes.enumerated().compactMap { position, node in
      guard var problem = ConvolutionProblem(node, of: graph, settings) else { return nil }
      problem.precedesPooling = poolings[position] != nil
      return (position, problem)
    }
    ranked = nodes.map { ConvolutionRanking(for: $0.problem).ranked }
    layout = ImageLayout(graph, [PlannedConvolution](), settings)
  }

  /// Selects for each convolution the first candidate that its input's layout and, if `constants`
  /// is given, its weights permit.
  mutating func choose(by constants: PackedConstants? = nil) throws {
    var isSettled = false
    while !isSettled {
      for (index, (position, problem)) in nodes.enumerated() {
        let node = graph.nodes[position]
        planned[position] = PlannedConvolution(
          node: node, problem: problem,
          algorithm: try algorithm(
            of: index, by: constants.flatMap { ConvolutionWeights(of: node, in: graph, $0) }))
      }
      layout = ImageLayout(graph, planned.values, settings)
      let misplaced = planned.filter {
        $0.value.algorithm.needsContiguousInput && !layout.isContiguous($0.value.node.inputs[0])
      }
      gapped.formUnion(misplaced.keys)
      isSettled = misplaced.isEmpty
    }
  }

  private func algorithm(
    of index: Int, by weights: ConvolutionWeights?
  ) throws -> any ConvolutionAlgorithm {
    let isGapped = gapped.contains(nodes[index].position)
    for candidate in ranked[index] where !(isGapped && candidate.needsContiguousInput) {
      guard let weights else { return candidate }
      if let fitted = try candidate.fitted(to: weights) { return fitted }
    }
    throw NoConvolutionAlgorithm()
  }
}
