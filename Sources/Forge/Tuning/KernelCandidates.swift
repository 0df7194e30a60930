import CForgeKernels
import ForgeOperations
import ForgeShapes

/// The kernels that can compute a convolution within the accuracy that is asked for, with what each costs.
struct KernelCandidates {
  /// A kernel with its estimated cost in cycles.
  typealias Candidate = (cost: Double, choice: KernelChoice)

  /// One per algorithm and form, the direct kernel first.
  let all: [Candidate]
  /// Whether there is anything to choose but by the model's own options.
  let isTunable: Bool
  private let inputs, outputs: Int

  /// The candidates of a convolution without groups, from `input` to `output`: height, width, channels.
  ///
  /// Without `weights` they are those for evenly spread ones.
  ///
  /// - Throws: what reading weights throws.
  init(
    _ geometry: ConvolutionGeometry, input: [Int], output: [Int], settings: PlanSettings,
    weights: ConvolutionWeights? = nil
  ) throws {
    (inputs, outputs) = (input[2], output[2])
    let width = KernelChoice.panelWidth(
      outputs: outputs, threads: settings.threadsSharingPanels(pixels: output[0] * output[1]))
    let size =
      settings.sizesAreFixed
      ? Size(width: output[1], height: output[0]) : KernelChoice.nominalSize
    let cost = ConvolutionCost(
      level: settings.level, output: size, inputs: inputs, outputs: outputs,
      kernel: geometry.kernel)
    var all: [Candidate] = [(cost.direct, .panels(width: width))]
    // Without a fused multiply-add every product is rounded, too.
    let accuracy = settings.level == FORGE_BASELINE ? settings.accuracy / 1.25 : settings.accuracy
    isTunable =
      settings.preference == .speed && settings.level != FORGE_SCALAR && geometry.dilation == .one
    if isTunable {
      for form in WinogradTile.forms(of: geometry.kernel, stride: geometry.stride)
      where settings.isEnabled(Rewrites.winograd) {
        if let summed = form.summedChannels(of: inputs, accuracy: accuracy) {
          all.append(
            (cost.winograd(form, summed: summed), .winograd(form, summed: summed, width: width)))
        }
      }
      for levels in 1...2 {
        if let strassen = KernelChoice.strassen(
          geometry, levels: levels, input: input, output: output, settings: settings),
          try weights?.strassen(
            inputs: inputs, outputs: outputs, levels: levels, settings: settings)
            != .uneven
        {
          all.append((cost.strassen(levels: levels), strassen))
        }
      }
    }
    self.all = all
  }

  /// The cost model's choice: the first of the cheapest.
  var best: KernelChoice { all.min { $0.cost < $1.cost }?.choice ?? all[0].choice }

  /// Estimates that are more than this many times the best are not worth a measurement.
  private static let hopeless = 1.6

  /// The kernels to time besides the cost model's choice, the most promising first.
  var challengers: [KernelChoice] {
    let least = all.map(\.cost).min() ?? 0
    return all.filter { $0.choice != best && $0.cost <= Self.hopeless * least }
      .sorted { $0.cost < $1.cost }.map(\.choice)
  }

  /// The same kernel with other panels that are not much narrower and do not pad many more channels.
  func otherWidths(of choice: KernelChoice) -> [KernelChoice] {
    guard let width = choice.panelWidth, let made = panelledOutputs(choice) else { return [] }
    let padded = { (width: Int) in AlignedMemory.round(made, to: width) }
    return widths(of: choice).reversed().filter {
      // With a panel of 16 each load feeds one product; those of 32 and more reach the peak.
      $0 != width && $0 >= 32
        && Double(padded($0)) <= 1.125 * Double(padded(width))
    }.map { choice.with(panelWidth: $0) }
  }

  /// The widths of panels that a kernel may have.
  func widths(of choice: KernelChoice) -> [Int] {
    guard let made = panelledOutputs(choice) else { return [] }
    let lanes = PlannedTensor.lanes
    return (1...4).map { $0 * lanes }.filter { $0 <= AlignedMemory.round(made, to: lanes) }
  }

  /// Whether a kernel may compute the convolution.
  func allows(_ choice: KernelChoice) -> Bool {
    guard let width = choice.panelWidth, widths(of: choice).contains(width) else { return false }
    return all.contains { candidate in
      switch (candidate.choice, choice) {
      case (.panels, .panels): true
      case (.winograd(let form, let most, _), .winograd(let other, let summed, _)):
        // Fewer channels at a time are more exact; they come in whole blocks.
        form == other
          && (summed == most
            || summed >= form.leastSummed && summed < min(most, inputs)
              && summed.isMultiple(of: PlannedTensor.lanes))
      // The segments are a matter of the image alone, see KernelChoice.strassen.
      case (.strassen(let levels, let segments, _), .strassen(let otherLevels, let other, _)):
        levels == otherLevels && segments == other
      default: false
      }
    }
  }

  /// The channels that panels divide.
  private func panelledOutputs(_ choice: KernelChoice) -> Int? {
    switch choice {
    case .panels, .winograd: outputs
    case .strassen(let levels, _, _): outputs >> levels
    default: nil
    }
  }
}

extension KernelChoice {
  /// The output channels per panel of weights.
  var panelWidth: Int? {
    switch self {
    case .panels(let width), .panelsPerGroup(let width), .winograd(_, _, let width),
      .strassen(_, _, let width), .reduced(_, let width), .plainImage(let width):
      width
    case .depthwise, .channelByChannel: nil
    }
  }

  /// The same kernel with panels of another width.
  func with(panelWidth width: Int) -> KernelChoice {
    switch self {
    case .panels: .panels(width: width)
    case .panelsPerGroup: .panelsPerGroup(width: width)
    case .winograd(let form, let summed, _): .winograd(form, summed: summed, width: width)
    case .strassen(let levels, let segments, _):
      .strassen(levels: levels, segments: segments, width: width)
    case .reduced(let kernel, _): .reduced(kernel, width: width)
    case .plainImage: .plainImage(width: width)
    case .depthwise, .channelByChannel: self
    }
  }
}
