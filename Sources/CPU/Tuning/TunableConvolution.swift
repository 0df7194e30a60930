import ForgeOperations
import ForgeShapes

/// All tunable convolutions of one size in a bound graph.
struct TunableConvolution {
  /// The sizes.
  let sizes: TuningRecord.Convolution
  let candidates: ConvolutionRanking
  /// The nodes whose steps are timed: the convolutions, and poolings that a candidate could fuse.
  private(set) var nodes: Set<Int>
  /// The position of the first layer of this size.
  let layer: Int

  /// Returns the convolutions whose chosen algorithm can be measured, in the order of their first
  /// occurrence in the graph.
  ///
  /// Candidates depend only on the size. If a layer's weights do not suit the kernel chosen for its
  /// size, the layer uses the cheapest of the others.
  static func all(in graph: OperationGraph, _ plan: ConvolutionPlan) -> [TunableConvolution] {
    var all: [TunableConvolution] = []
    var known: [TuningRecord.Convolution: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard let planned = plan.planned[position], planned.problem.isTunable,
        planned.algorithm is any MeasuredAlgorithm
      else { continue }
      let sizes = TuningRecord.Convolution(planned.problem)
      let nodes = Set([position, plan.poolable[position]].compactMap(\.self))
      if let index = known[sizes] {
        all[index].nodes.formUnion(nodes)
      } else {
        known[sizes] = all.count
        all.append(
          TunableConvolution(
            sizes: sizes, candidates: ConvolutionRanking(for: planned.problem), nodes: nodes,
            layer: node.layers.first ?? 0))
      }
    }
    return all
  }
}

/// The kernels of convolutions, by their sizes.
typealias TunedKernels = [TuningRecord.Convolution: TuningRecord.Kernel]

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
