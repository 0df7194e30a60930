import ForgeOperations
import ForgeShapes

/// The convolutions of a bound graph of which there is something to choose, by their sizes.
struct TunableConvolutions {
  /// One size of convolution.
  struct Entry {
    /// The sizes.
    let convolution: TuningRecord.Convolution
    /// The kernels there are for it.
    let candidates: KernelCandidates
    /// The nodes whose steps belong to it: convolutions, and poolings that some kernels do with them.
    fileprivate(set) var nodes: [Int]
    /// The first layer of that size, by its position.
    let layer: Int
  }

  /// The sizes, in the order in which the graph has them.
  private(set) var entries: [Entry] = []

  /// Collects those whose kernel is not settled by other things than its cost.
  ///
  /// Candidates are those of the size. A layer whose weights do not suit the kernel that is chosen for its size takes
  /// the cheapest of the others.
  init(_ graph: OperationGraph, _ plan: ConvolutionPlan, _ settings: PlanSettings) throws {
    var known: [TuningRecord.Convolution: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard case .convolution(let geometry, _, 1) = node.primitive,
        let input = graph.shape(of: node.inputs[0]).sizes,
        let output = graph.shape(of: node.output).sizes, let choice = plan.choices[position]
      else { continue }
      // A plain image, lower precision and weights of 24 bits have one kernel each.
      guard
        !KernelChoice.hasFixedPointWeights(
          outputPixels: output[0] * output[1], taps: geometry.kernel.width * geometry.kernel.height,
          inputs: input[2], outputs: output[2], settings: settings)
      else { continue }
      switch choice {
      case .plainImage, .reduced: continue
      default: break
      }
      let candidates = try KernelCandidates(
        geometry, input: input, output: output, settings: settings)
      guard candidates.isTunable else { continue }
      let convolution = TuningRecord.Convolution(geometry, input: input, output: output)
      let nodes = [position] + (plan.poolable[position].map { [$0] } ?? [])
      if let index = known[convolution] {
        entries[index].nodes += nodes
      } else {
        known[convolution] = entries.count
        entries.append(
          Entry(
            convolution: convolution, candidates: candidates, nodes: nodes,
            layer: node.layers.first ?? 0))
      }
    }
  }
}

extension TuningRecord.Convolution {
  /// The sizes of a convolution; those of images are height, width, channels.
  init(_ geometry: ConvolutionGeometry, input: [Int], output: [Int]) {
    let image = { (sizes: [Int]) in "\(sizes[1])x\(sizes[0])x\(sizes[2])" }
    self.init(
      input: image(input), output: image(output),
      kernel: geometry.kernel.recorded, stride: geometry.stride.recorded)
  }
}

extension TuningRecord.Kernel {
  /// A choice as it is recorded; `nil` where there is nothing to choose.
  init?(_ choice: KernelChoice) {
    switch choice {
    case .panels(let width): self.init(name: "direct", panelWidth: width)
    case .winograd(let form, let summed, let width):
      self.init(
        name: "winograd", panelWidth: width, tile: form.tile.recorded, summedChannels: summed)
    case .strassen(let levels, let segments, let width):
      self.init(
        name: "strassen", panelWidth: width, segments: segments, levels: levels > 1 ? levels : nil)
    case .reduced, .panelsPerGroup, .plainImage, .depthwise, .channelByChannel: return nil
    }
  }

  /// The choice for a convolution; `nil` where no candidate is of this kind.
  func choice(among candidates: KernelCandidates) -> KernelChoice? {
    guard let panelWidth else { return nil }
    // From what is there, so that no number of a record ever reaches a kernel unchecked.
    for candidate in candidates.all.map(\.choice) {
      let choice: KernelChoice
      switch (candidate, summedChannels, segments) {
      case (.panels, nil, nil) where name == "direct" && tile == nil && levels == nil:
        choice = .panels(width: panelWidth)
      case (.winograd(let form, _, _), let summed?, nil)
      where name == "winograd" && tile == form.tile.recorded && levels == nil:
        choice = .winograd(form, summed: summed, width: panelWidth)
      case (.strassen(let most, _, _), nil, let segments?)
      where name == "strassen" && tile == nil && levels == (most > 1 ? most : nil):
        choice = .strassen(levels: most, segments: segments, width: panelWidth)
      default: continue
      }
      return candidates.allows(choice) ? choice : nil
    }
    return nil
  }
}

extension Size {
  fileprivate var recorded: String { "\(width)x\(height)" }
}
