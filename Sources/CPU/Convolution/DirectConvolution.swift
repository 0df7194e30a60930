import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Direct summation: the micro-kernel over panels of output channels.
struct DirectConvolution: MeasuredAlgorithm {
  var panelWidth: Int

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.kind != .depthwise, problem.groups == 1 else { return [] }
    return [DirectConvolution(panelWidth: problem.panelWidth)]
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

  /// Adds the step of a convolution, or of one group if the operands contain only its channels.
  func addStep(
    for convolution: PlannedConvolution, _ operands: ConvolutionOperands, group: Int = 0,
    to plan: inout PlanBuilder
  ) throws {
    let problem = convolution.problem
    let (geometry, kernel) = (problem.geometry, problem.geometry.kernel)
    let (inputs, outputs, panelWidth) = (problem.inputs, problem.outputs, panelWidth)
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let count = problem.weightCount
    let form = PanelForm(
      taps: problem.taps, inputs: inputs, outputs: outputs, panelWidth: panelWidth)
    let weights = try plan.packedWeights(
      convolution, part: group * count..<(group + 1) * count, as: form)
    let bias = try plan.packedBias(
      convolution, part: group * outputs..<(group + 1) * outputs, count: form.columns)
    let window = Window(geometry, input: plan.tensor(source))
    // The rows of a pointwise convolution need no border between them. One long row has fewer
    // partial tiles.
    let isFlat =
      geometry.isPointwise
      && ([source, target] + operands.added).map { plan.tensor($0) }.allSatisfy(\.isOneRow)
    let segments =
      isFlat
      ? Panels.segments(
        outputs: outputs, width: panelWidth, pixels: problem.outputPixels,
        threads: plan.settings.threads) : 1
    let activation = convolution.activation
    let run = plan.require(plan.kernels.convolution)
    plan.addStep(
      "convolution \(kernel) panel \(panelWidth)", reads: operands.reads, writes: [target],
      multiplyAdds: PlanBuilder.saturatingProduct([
        plan.tensor(target).count, kernel.width, kernel.height, inputs,
      ]),
      parameterCount: count,
      firstWeights: FirstWeights(start: weights, count: form.panelCount)
    ) { places in
      var arguments = forge_convolution_arguments()
      arguments.in = places.view(source).flattened(isFlat)
      arguments.out = places.view(target).flattened(isFlat)
      arguments.weights = weights
      arguments.bias = bias
      arguments.set(window)
      arguments.panel_width = Int32(panelWidth)
      arguments.segments = Int32(clamping: segments)
      arguments.epilogue = forge_epilogue(
        activation, residual: residual.map { places.view($0).flattened(isFlat) })
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      return KernelCall(
        run, arguments, tiles: forge_convolution_tiles,
        parts: Int(arguments.out.height) * segments)
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
  /// Returns the image as one row; `isFlat` requires contiguous rows.
  fileprivate func flattened(_ isFlat: Bool) -> forge_view {
    guard isFlat else { return self }
    var view = self
    view.width = height * width
    view.height = 1
    view.row_stride = Int64(view.width) * Int64(FORGE_LANES)
    return view
  }
}
