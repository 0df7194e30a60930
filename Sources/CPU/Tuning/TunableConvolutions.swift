import ForgeOperations
import ForgeShapes

/// The tunable convolutions of a bound graph, grouped by size.
struct TunableConvolutions {
  /// All convolutions of one size.
  struct Entry {
    /// The sizes.
    let convolution: TuningRecord.Convolution
    let candidates: ConvolutionRanking
    /// The nodes whose steps are timed: the convolutions, and poolings that a candidate could fuse.
    fileprivate(set) var nodes: [Int]
    /// The position of the first layer of this size.
    let layer: Int
  }

  /// The entries in the order of their first occurrence in the graph.
  private(set) var entries: [Entry] = []

  /// Collects the convolutions whose chosen algorithm can be measured.
  ///
  /// Candidates depend only on the size. If a layer's weights do not suit the kernel chosen for its
  /// size, the layer uses the cheapest of the others.
  init(_ graph: OperationGraph, _ plan: ConvolutionPlan) {
    var known: [TuningRecord.Convolution: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard let planned = plan.planned[position], planned.problem.isTunable,
        planned.algorithm is any MeasuredAlgorithm
      else { continue }
      let convolution = TuningRecord.Convolution(planned.problem)
      let nodes = [position] + (plan.poolable[position].map { [$0] } ?? [])
      if let index = known[convolution] {
        entries[index].nodes += nodes
      } else {
        known[convolution] = entries.count
        entries.append(
          Entry(
            convolution: convolution,
            candidates: ConvolutionRanking(for: planned.problem),
            nodes: nodes, layer: node.layers.first ?? 0))
      }
    }
  }
}

extension TuningRecord.Convolution {
  /// Creates the record entry of a convolution's sizes.
  init(_ convolution: ConvolutionProblem) {
    let image = { (sizes: [Int]) in "\(sizes[1])x\(sizes[0])x\(sizes[2])" }
    let size = { (size: Size) in "\(size.width)x\(size.height)" }
    self.init(
      input: image(convolution.input), output: image(convolution.output),
      kernel: size(convolution.geometry.kernel), stride: size(convolution.geometry.stride))
  }
}
