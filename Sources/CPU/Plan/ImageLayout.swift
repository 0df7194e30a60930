import ForgeOperations
import ForgeShapes

/// The borders of blocked images, and the images that share the memory of another.
struct ImageLayout {
  private let graph: OperationGraph
  /// The zero borders that readers of values need.
  let halos: HaloNeeds
  /// The positions of values that are written directly into a concatenation.
  let slots: [OperationGraph.Value: ConcatenationPlan.Slot]
  /// The image whose memory a crop shares, by the value of the crop.
  private let viewed: [OperationGraph.Value: OperationGraph.Value]

  /// Determines the layout of a bound graph with these convolutions.
  init(
    _ graph: OperationGraph, _ convolutions: some Sequence<PlannedConvolution>,
    _ settings: PlanSettings
  ) {
    self.graph = graph
    var halos = HaloNeeds(convolutions)
    slots =
      ConcatenationPlan(
        graph, halos: &halos, isEnabled: settings.isEnabled(PlanRewrites.concatenateInPlace)
      ).slots
    var viewed: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes {
      guard case .crop = node.primitive, halos[node.output] == .none,
        slots[node.output] == nil
      else { continue }
      viewed[node.output] = node.inputs[0]
    }
    (self.halos, self.viewed) = (halos, viewed)
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
