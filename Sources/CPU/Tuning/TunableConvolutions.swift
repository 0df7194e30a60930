import ForgeOperations
import ForgeShapes

/// The convolutions of a bound graph for which there is something to measure, by their sizes.
struct TunableConvolutions {
  /// One size of convolution.
  struct Entry {
    /// The sizes.
    let convolution: TuningRecord.Convolution
    /// The kernels there are for it.
    let candidates: ConvolutionCandidates
    /// The nodes whose steps belong to it: convolutions, and poolings that some kernels do with
    /// them.
    fileprivate(set) var nodes: [Int]
    /// The first layer of that size, by its position.
    let layer: Int
  }

  /// The sizes, in the order in which the graph has them.
  private(set) var entries: [Entry] = []

  /// Collects those for which an algorithm was chosen that can be measured.
  ///
  /// Candidates are those of the size. A layer whose weights do not suit the kernel that is chosen
  /// for its size takes the cheapest of the others.
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
            candidates: ConvolutionCandidates(for: planned.problem),
            nodes: nodes, layer: node.layers.first ?? 0))
      }
    }
  }
}

extension TuningRecord.Convolution {
  /// The sizes of a convolution.
  init(_ convolution: ConvolutionProblem) {
    let image = { (sizes: [Int]) in "\(sizes[1])x\(sizes[0])x\(sizes[2])" }
    let size = { (size: Size) in "\(size.width)x\(size.height)" }
    self.init(
      input: image(convolution.input), output: image(convolution.output),
      kernel: size(convolution.geometry.kernel), stride: size(convolution.geometry.stride))
  }
}
