import ForgeOperations
import ForgeShapes

/// How blocked images lie: with which borders, and which ones in the memory of others.
struct ImageLayout {
  private let graph: OperationGraph
  private let halos: HaloNeeds
  private let concatenations: ConcatenationPlan
  /// The image whose memory a crop is another reading of, by the value of the crop.
  private let viewed: [OperationGraph.Value: OperationGraph.Value]

  /// The layout of a bound graph with these convolutions.
  init(
    _ graph: OperationGraph, _ convolutions: some Sequence<PlannedConvolution>,
    _ settings: PlanSettings
  ) {
    self.graph = graph
    var halos = HaloNeeds(convolutions)
    let concatenations = ConcatenationPlan(
      graph, halos: &halos, isEnabled: settings.isEnabled(PlanRewrites.concatenateInPlace))
    var viewed: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes {
      guard case .crop = node.primitive, halos[node.output] == .none,
        concatenations.slots[node.output] == nil
      else { continue }
      viewed[node.output] = node.inputs[0]
    }
    (self.halos, self.concatenations, self.viewed) = (halos, concatenations, viewed)
  }

  /// The border of zeros that readers of a value need.
  func halo(of value: OperationGraph.Value) -> Edges { halos[value] }

  /// Where a value lies in the tensor it is concatenated into; `nil` where it has memory of its
  /// own.
  func slot(of value: OperationGraph.Value) -> ConcatenationPlan.Slot? {
    concatenations.slots[value]
  }

  /// Whether a crop is another reading of the image it is cut from; else it is a copy.
  func isView(_ crop: OperationGraph.Value) -> Bool { viewed[crop] != nil }

  /// Whether the rows of an image follow each other without a gap.
  func isContiguous(_ image: OperationGraph.Value) -> Bool {
    // The parts of a concatenation have the border of the whole.
    var memory = image
    while let whole = viewed[memory] { memory = whole }
    return width(of: memory) + halos[memory].left + halos[memory].right == width(of: image)
  }

  private func width(of image: OperationGraph.Value) -> Int { graph.imageSizes(of: image)[1] }
}
