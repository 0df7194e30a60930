import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A convolution with weights narrower than Float32.
///
/// If the kernel needs them, the scale and total of each output precede the packed weights.
protocol NarrowWeightAlgorithm: ConvolutionAlgorithm {
  /// The name of the algorithm in step names.
  static var name: String { get }
  /// The precision that selects the algorithm; `nil` if it is as accurate as Float32.
  static var precision: CompileOptions.Precision? { get }
  /// The bytes per packed weight.
  static var weightBytes: Int { get }
  /// The input channels of a block of packed weights.
  static var blockChannels: Int { get }
  /// Whether each output has a scale.
  static var hasScales: Bool { get }
  /// Whether the sum of each output's weights is stored.
  static var hasTotals: Bool { get }
  /// The kernel, which some instruction sets do not have.
  static var kernel: PrecisionKernel { get }
  /// Packs weights.
  ///
  /// - Returns: `true` if the packed weights are accurate enough.
  static func pack(_ packing: NarrowPacking) -> Bool

  /// The output channels per panel of weights.
  var panelWidth: Int { get }

  /// Adds the steps that convert an image to the form the kernel reads.
  func addInput(
    _ source: PlannedTensor.ID, of problem: ConvolutionProblem, to plan: inout PlanBuilder
  ) -> NarrowInput
}

/// A kernel in the tables of the instruction sets.
typealias PrecisionKernel = KeyPath<forge_precision_table, forge_kernel?>

/// Weights `[outputs][taps][inputs]` and the destination of packing.
struct NarrowPacking {
  let values: UnsafePointer<Float>?
  /// The packed weights.
  let weights: UnsafeMutableRawPointer
  /// The scale of each output.
  let scales: UnsafeMutablePointer<Float>
  /// The sum of each output's weights.
  let totals: UnsafeMutablePointer<Int32>
  let outputs, taps, inputs, panelWidth: Int64
  /// The permitted error of an output's weights, relative to their median.
  let accuracy: Double
  /// Whether fixed-point weights are scaled by powers of two.
  let scalesArePowers: Bool
  let threads: Int32
}

/// The input of a narrow-weight kernel.
struct NarrowInput {
  let image: PlannedTensor.ID
  /// The scratch tensor that holds the range of an int8 input.
  var range: PlannedTensor.ID?
  /// Whether the image is read as one row.
  var isFlat = false
  /// Changes the view of the tensor to that of the image it holds.
  var adjust: (inout forge_view) -> Void = { _ in }
}

extension NarrowWeightAlgorithm {
  static var blockChannels: Int { PlannedTensor.lanes }
  static var hasScales: Bool { true }
  static var hasTotals: Bool { false }

  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool {
    precision == Self.precision && isAvailable(level)
  }

  /// Whether the instruction set has the kernel.
  static func isAvailable(_ level: forge_level) -> Bool {
    forge_precision_kernels(level)[keyPath: kernel] != nil
  }

  /// Uses the image without conversion.
  func addInput(
    _ source: PlannedTensor.ID, of problem: ConvolutionProblem, to plan: inout PlanBuilder
  ) -> NarrowInput {
    NarrowInput(image: source)
  }

  /// Returns the packed form of a convolution's weights.
  func form(of problem: ConvolutionProblem) -> NarrowForm<Self> {
    NarrowForm(
      taps: problem.taps, inputs: problem.inputs, outputs: problem.outputs,
      panelWidth: panelWidth, accuracy: problem.settings.accuracy,
      scalesArePowers: problem.settings.hasStates)
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let problem = convolution.problem
    let operands = try plan.operands(of: convolution)
    let form = form(of: problem)
    let packed = try plan.packedWeights(convolution, as: form)
    let weights = packed.map { $0 + form.weightsStart }
    let bias = try plan.packedBias(convolution, count: form.columns)
    let input = addInput(operands.source, of: problem, to: &plan)
    let segments =
      input.isFlat
      ? Panels.segments(of: problem, width: panelWidth, threads: plan.settings.threads) : 1
    var arguments = forge_convolution_arguments()
    arguments.weights = UnsafePointer(weights)
    arguments.bias = bias
    if Self.hasScales { arguments.scales = packed }
    if Self.hasTotals {
      let totals = UnsafeRawPointer(packed.map { $0 + form.totalsStart })
      arguments.totals = totals?.assumingMemoryBound(to: Int32.self)
    }
    arguments.set(problem.geometry, input: plan.tensor(operands.source))
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.segments = Int32(clamping: segments)
    arguments.flat = input.isFlat ? 1 : 0
    arguments.epilogue = forge_epilogue(convolution)
    plan.addStep(
      "\(Self.name) convolution \(problem.geometry.kernel) panel \(panelWidth)",
      forge_precision_kernels(plan.kernels.level)[keyPath: Self.kernel], arguments,
      tiles: forge_convolution_tiles,
      parts: (input.isFlat ? 1 : plan.tensor(operands.target).height) * segments,
      reads: [
        \.in: input.image, \.range: input.range, \.epilogue.residual: operands.residual,
      ], writes: [\.out: operands.target],
      multiplyAdds: plan.multiplyAdds(operands.target, of: problem),
      parameterCount: problem.weightCount * Self.weightBytes / MemoryLayout<Float>.stride,
      firstWeights: FirstWeights(start: weights, count: form.panelCount)
    ) { arguments, places in
      input.adjust(&arguments.in)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
    }
  }
}

/// Narrow weights: scales and totals, then `[panel][tap][inputs, rounded up to a
/// block][panelWidth]`, zero-padded.
///
/// The elements are not floats; CForgePrecision.h defines their layout.
struct NarrowForm<Algorithm: NarrowWeightAlgorithm>: PackedForm {
  let taps, inputs, outputs, panelWidth: Int
  let accuracy: Double
  let scalesArePowers: Bool

  /// The outputs, rounded up to whole panels.
  var columns: Int { AlignedMemory.round(outputs, to: panelWidth) }
  /// The number of floats before the totals.
  var totalsStart: Int { Algorithm.hasScales ? columns : 0 }
  /// The number of floats before the weights.
  var weightsStart: Int { totalsStart + (Algorithm.hasTotals ? columns : 0) }
  /// The number of floats in one panel.
  var panelCount: Int { floats(columns: panelWidth) }

  var count: Int { weightsStart + floats(columns: columns) }

  private func floats(columns: Int) -> Int {
    columns * taps * AlignedMemory.round(inputs, to: Algorithm.blockChannels)
      * Algorithm.weightBytes / MemoryLayout<Float>.stride
  }

  func write(_ packing: Packing) -> Bool {
    let first = packing.memory
    let totals = UnsafeMutableRawPointer(first + totalsStart)
    return Algorithm.pack(
      NarrowPacking(
        values: packing.values, weights: UnsafeMutableRawPointer(first + weightsStart),
        scales: first, totals: totals.assumingMemoryBound(to: Int32.self),
        outputs: Int64(outputs), taps: Int64(taps), inputs: Int64(inputs),
        panelWidth: Int64(panelWidth), accuracy: accuracy, scalesArePowers: scalesArePowers,
        threads: packing.threads))
  }
}
