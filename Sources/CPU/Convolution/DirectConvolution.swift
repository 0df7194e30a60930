import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Direct summation: the micro-kernel over panels of output channels.
struct DirectConvolution: MeasuredAlgorithm {
  var panelWidth: Int

  static let sumsInOneOrder = true

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    problem.isUngrouped ? [DirectConvolution(panelWidth: problem.panelWidth)] : []
  }

  func cost(_ model: ConvolutionCost) -> Double {
    max(
      model.products * model.pixels / model.vectorsPerCycle,
      model.products * 64 / ConvolutionCost.bytesPerCycle)
  }

  var record: TuningRecord.Kernel { TuningRecord.Kernel(name: "direct", panelWidth: panelWidth) }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    try addStep(for: convolution, operands, to: &plan)
  }

  /// Returns the packed form of the weights of a convolution, or of one of its groups.
  func form(of problem: ConvolutionProblem) -> PanelForm {
    PanelForm(
      taps: problem.taps, inputs: problem.inputs, outputs: problem.outputs, panelWidth: panelWidth)
  }

  /// Adds the step of a convolution, or of one group if the operands contain only its channels.
  func addStep(
    for convolution: PlannedConvolution, _ operands: ConvolutionOperands, group: Int = 0,
    to plan: inout PlanBuilder
  ) throws {
    let count = convolution.problem.weightCount
    let weights = try plan.packedWeights(
      convolution, part: group * count..<(group + 1) * count, as: form(of: convolution.problem))
    try addStep(for: convolution, operands, group: group, weights: weights, to: &plan)
  }

  /// Adds the step with weights in the layout of ``PanelForm``.
  func addStep(
    _ name: String = "convolution", for convolution: PlannedConvolution,
    _ operands: ConvolutionOperands, group: Int = 0, weights: UnsafePointer<Float>?,
    to plan: inout PlanBuilder
  ) throws {
    let problem = convolution.problem
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let outputs = problem.outputs
    let form = form(of: problem)
    // The rows of a pointwise convolution need no border between them. One long row has fewer
    // partial tiles.
    let isFlat =
      problem.geometry.isPointwise
      && [source, target, residual].compactMap(\.self).map { plan.tensor($0) }
        .allSatisfy(\.isOneRow)
    let segments =
      isFlat ? Panels.segments(of: problem, width: panelWidth, threads: plan.settings.threads) : 1
    var arguments = forge_convolution_arguments()
    arguments.weights = weights
    arguments.bias = try plan.packedBias(
      convolution, part: group * outputs..<(group + 1) * outputs, count: form.columns)
    arguments.set(problem.geometry, input: plan.tensor(source))
    arguments.panel_width = Int32(panelWidth)
    arguments.segments = Int32(clamping: segments)
    arguments.epilogue = forge_epilogue(convolution)
    plan.addStep(
      "\(name) \(problem.geometry.kernel) panel \(panelWidth)", plan.kernels.convolution,
      arguments, tiles: forge_convolution_tiles,
      parts: (isFlat ? 1 : plan.tensor(target).height) * segments,
      reads: [\.in: source, \.epilogue.residual: residual], writes: [\.out: target],
      multiplyAdds: plan.multiplyAdds(target, of: problem), parameterCount: problem.weightCount,
      firstWeights: FirstWeights(start: arguments.weights, count: form.panelCount)
    ) { arguments, places in
      if isFlat {
        arguments.in.flatten()
        arguments.out.flatten()
        arguments.epilogue.residual.flatten()
      }
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
    }
  }
}

/// Weights as `[panel][tap][inputs, rounded up to 16][panelWidth]`, zero-padded.
struct PanelForm: PackedForm {
  let taps, inputs, outputs, panelWidth: Int

  /// The outputs, rounded up to whole panels.
  var columns: Int { AlignedMemory.round(outputs, to: panelWidth) }
  /// The number of floats in one panel.
  var panelCount: Int { taps * AlignedMemory.round(inputs, to: PlannedTensor.lanes) * panelWidth }

  var count: Int { columns * taps * AlignedMemory.round(inputs, to: PlannedTensor.lanes) }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    forge_pack_convolution(
      packing.values, packing.memory, Int64(outputs), Int64(taps), Int64(inputs),
      Int64(panelWidth), packing.threads)
    return true
  }
}

extension PlannedTensor {
  /// Whether each block of channels can be treated as one row whose length fits in 32 bits.
  fileprivate var isOneRow: Bool { isContiguous && height * width <= Int32.max }
}

extension forge_view {
  /// Makes one row of an image whose rows are contiguous.
  fileprivate mutating func flatten() {
    width *= height
    height = 1
    row_stride = Int64(width) * Int64(FORGE_LANES)
  }
}
