import ForgeOperations
import ForgeShapes

/// The borders of blocked images, and the images that share the memory of another.
struct ImageLayout {
  private let graph: OperationGraph
  private let settings: PlanSettings
  /// The zero borders that readers of values need.
  let halos: HaloNeeds
  /// The positions of values that are written directly into a concatenation.
  let slots: [OperationGraph.Value: ConcatenationPlan.Slot]
  /// The image whose memory a crop or a part of the channels shares, by the value of the part.
  private let viewed: [OperationGraph.Value: OperationGraph.Value]

  /// Determines the layout of a bound graph with these convolutions.
  init(
    _ graph: OperationGraph, _ convolutions: some Sequence<PlannedConvolution>,
    _ settings: PlanSettings
  ) {
    self.graph = graph
    self.settings = settings
    let isEnabled = settings.isEnabled(PlanRewrites.concatenateInPlace)
    slots = ConcatenationPlan(graph, isEnabled: isEnabled).slots
    var viewed: [OperationGraph.Value: OperationGraph.Value] = [:]
    if settings.isEnabled(PlanRewrites.viewChannels) {
      for node in graph.nodes {
        guard case .gatherChannels(let order) = node.primitive, slots[node.output] == nil,
          let channels = graph.shape(of: node.inputs[0]).channels,
          Self.areBlocks(order, of: channels)
        else { continue }
        viewed[node.output] = node.inputs[0]
      }
    }
    // Parts have the border of the whole, because their rows share memory.
    var halos = HaloNeeds(convolutions, graph)
    let wholes = slots.mapValues(\.whole).merging(viewed) { slot, _ in slot }
    var groups: [OperationGraph.Value: [OperationGraph.Value]] = [:]
    for part in wholes.keys {
      var whole = part
      while let next = wholes[whole] { whole = next }
      groups[whole, default: []].append(part)
    }
    for (whole, parts) in groups { halos.share(parts + [whole]) }

    for node in graph.nodes {
      guard case .crop = node.primitive, halos[node.output] == .none,
        slots[node.output] == nil
      else { continue }
      viewed[node.output] = node.inputs[0]
    }
    (self.halos, self.viewed) = (halos, viewed)
  }

  /// Whether an order of channels takes whole blocks of an image as they lie in memory.
  private static func areBlocks(_ order: [Int], of channels: Int) -> Bool {
    guard let first = order.first, first.isMultiple(of: PlannedTensor.lanes) else { return false }
    let end = first + order.count
    // The lanes behind the last channel are zero only in the last block of the image.
    return order == Array(first..<end)
      && (end.isMultiple(of: PlannedTensor.lanes) || end == channels)
  }

  /// Whether a crop or a part of the channels shares the memory of its image instead of being a
  /// copy.
  func isView(_ part: OperationGraph.Value) -> Bool { viewed[part] != nil }

  /// Whether the rows of an image are contiguous.
  func isContiguous(_ image: OperationGraph.Value) -> Bool {
    // Operands of a concatenation and parts of the channels have the border of the whole.
    var memory = image
    while let whole = viewed[memory] { memory = whole }
    if settings.keepsRowsApart(graph.imageSizes(of: image)) { return false }
    return width(of: memory) + halos[memory].left + halos[memory].right == width(of: image)
  }

  private func width(of image: OperationGraph.Value) -> Int { graph.imageSizes(of: image)[1] }
}
