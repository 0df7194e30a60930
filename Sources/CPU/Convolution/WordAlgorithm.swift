import CForgeKernels
import ForgeShapes

/// A convolution that reads 32-bit words of several adjacent channels, which a separate step packs.
protocol WordAlgorithm: NarrowWeightAlgorithm {
  /// The channels per word.
  static var channelsPerWord: Int { get }
  /// The cycles for packing the words of one pixel and block of channels.
  static var cyclesPerBlock: Double { get }
  /// The maximum number of products per sum.
  static var mostProducts: Int { get }
  /// The kernel that packs words.
  static var inputKernel: PrecisionKernel { get }
  /// The number of tiles of that kernel.
  static var inputTiles: @Sendable (UnsafePointer<forge_words_arguments>?) -> Int64 { get }
  /// The kernel that finds the range of the input; `nil` if none is needed.
  static var rangeKernel: PrecisionKernel? { get }

  /// Creates a candidate; `isPreferred` selects it without a cost estimate.
  init(panelWidth: Int, isPreferred: Bool)

  /// Whether the candidate is selected without a cost estimate.
  var isPreferred: Bool { get }
}

extension WordAlgorithm {
  static var mostProducts: Int { .max }
  static var rangeKernel: PrecisionKernel? { nil }
  static var inputTiles: @Sendable (UnsafePointer<forge_words_arguments>?) -> Int64 {
    forge_words_tiles
  }

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard computes(in: problem.settings.precision, level: problem.settings.level),
      problem.isUngrouped, problem.taps * problem.inputs <= mostProducts
    else { return [] }
    // These weights are the smallest, and the time of a dense layer is that of reading its weights.
    // With several lengths every plan must make the same choice.
    let isPreferred =
      problem.kind == .dense || problem.settings.preference == .size
      || problem.settings.sumsInOneOrder || problem.settings.level.facts.has_vectors == 0
    return [Self(panelWidth: problem.panelWidth, isPreferred: isPreferred)]
  }

  func cost(_ model: ConvolutionCost) -> Double {
    guard !isPreferred else { return 0 }
    let words = Double(model.inputPixels) * Double(model.inputs) / 16 * Self.cyclesPerBlock
    return max(
      model.products / Double(Self.channelsPerWord) * model.pixels,
      model.products * 16 * Double(Self.weightBytes) / ConvolutionCost.bytesPerCycle) + words
  }

  /// The packed words have their own border.
  var readsBorder: Bool { false }

  func addInput(
    _ source: PlannedTensor.ID, of problem: ConvolutionProblem, to plan: inout PlanBuilder
  ) -> NarrowInput {
    let kernels = forge_precision_kernels(plan.kernels.level)
    let image = plan.tensor(source)
    let border = HaloNeeds.border(of: problem)
    let words = ImageWords(
      height: image.height, width: image.width, channels: image.channels, border: border,
      blockChannels: Self.blockChannels, channelsPerWord: Self.channelsPerWord)
    let memory = plan.addPlain(words.shape)
    var arguments = forge_words_arguments()
    arguments.top = Int32(clamping: border.top)
    arguments.left = Int32(clamping: border.left)
    arguments.bottom = Int32(clamping: border.bottom)
    arguments.right = Int32(clamping: border.right)
    let isFlat = problem.geometry.isPointwise
    arguments.flat = isFlat ? 1 : 0
    var range: PlannedTensor.ID?
    if let rangeKernel = Self.rangeKernel {
      arguments.in = forge_view(image)
      range = plan.addPlain([Int(forge_byte_range_floats(&arguments))])
      plan.addStep(
        "\(Self.name) range", kernels[keyPath: rangeKernel], arguments,
        tiles: forge_byte_range_tiles,
        parts: isFlat ? 1 : image.height, reads: [\.in: source], writes: [\.range: range])
    }
    plan.addStep(
      "\(Self.name) input", kernels[keyPath: Self.inputKernel], arguments, tiles: Self.inputTiles,
      parts: words.rows, reads: [\.in: source], writes: [\.out: memory, \.range: range]
    ) { arguments, _ in
      words.adjust(&arguments.out)
    }
    return NarrowInput(image: memory, range: range, isFlat: isFlat) { view in
      words.adjust(&view, isFlat: isFlat)
    }
  }
}
