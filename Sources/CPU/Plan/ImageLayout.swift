import ForgeOperations
import ForgeShapes

/// The borders of blocked images, and the images that share the memory of another.
struct ImageLayout {
  private let graph: OperationGraph
  private let halos: HaloNeeds
  private let concatenations: ConcatenationPlan
  /// The image whose memory a crop shares, by the value of the crop.
  private let viewed: [OperationGraph.Value: OperationGraph.Value]

  /// Determines the layout of a bound graph with these convolutions.
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

  /// Returns the zero border that readers of a value need.
  func halo(of value: OperationGraph.Value) -> Edges { halos[value] }

  /// Returns the position of a value in the concatenation it is written into; `nil` if it has its
  /// own memory.
  func slot(of value: OperationGraph.Value) -> ConcatenationPlan.Slot? {
    concatenations.slots[value]
  }

  /// Whether a crop shares the memory of its image instead of being a copy.
  func isView(_ crop: OperationGraph.Value) -> Bool { viewed[crop] != nil }

  /// Whether the rows of an image are contiguous.
  func isContiguous(_ image: OperationGraph.Value) -> Bool {
    // Operands of a concatenation have the border of the whole.
    var memory = image
    while let whole = viewed[memory] { memory = whole }
    return width(of: memory) + halos[memory].left + halos[memory].right == width(of: image)
  }

  private func width(of image: OperationGraph.Value) -> Int { graph.imageSizes(of: image)[1] }
}
