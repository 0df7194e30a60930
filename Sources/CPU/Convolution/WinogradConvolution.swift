import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Winograd's minimal filtering: the micro-kernel on transformed tiles.
struct WinogradConvolution: MeasuredAlgorithm {
  let form: WinogradTile
  /// The channels that are summed before the inverse transform.
  var summed: Int
  let inputs: Int
  var panelWidth: Int

  static let rewriteName: String? = "winograd"

  /// Returns one candidate per form, with the longest sums that are accurate enough.
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    // A tile adds inputs to each other, later ones to earlier ones.
    guard problem.isTunable, !problem.isCausal else { return [] }
    let geometry = problem.geometry
    let accuracy = problem.settings.accuracy / problem.settings.level.facts.error_factor
    return WinogradTile.forms(of: geometry.kernel, stride: geometry.stride).compactMap { form in
      form.summedChannels(of: problem.inputs, accuracy: accuracy).map { summed in
        WinogradConvolution(
          form: form, summed: summed, inputs: problem.inputs,
          panelWidth: form.isFew(tilesOf: problem) ? fewTilesPanelWidth : problem.panelWidth)
      }
    }
  }

  /// The time of two threads that read the weights from memory, over half of that of one.
  ///
  /// Two cores read about 1.6 times as fast as one.
  private static let sharedMemory = 2 / 1.6

  /// The panel width for an image of few tiles.
  ///
  /// The micro-kernel then takes all tiles at once and reads the weights, which are larger than
  /// such an image, a single time.
  private static let fewTilesPanelWidth = 2 * PlannedTensor.lanes

  /// Returns the estimated cycles.
  ///
  /// A transform takes 6.5 cycles per point and block of channels, both for inputs and outputs.
  ///
  /// Each further partial sum of `summed` channels reads and writes the products again, at 3 cycles
  /// per vector.
  ///
  /// The form is the same for any number of threads, so the stream of weights counts as if two
  /// threads read it.
  func cost(_ model: ConvolutionCost) -> Double {
    let (inputs, outputs) = (model.inputs, model.outputs)
    let tiles = Double(form.tiles(of: model.output))
    let products = Double(form.units) * Double(inputs) * Double(outputs) / 16
    let transforms = tiles * Double(form.points) * 6.5 * Double(form.phases * inputs + outputs) / 16
    let passes = Double((inputs + summed - 1) / summed - 1)
    let sums = passes * tiles * Double(form.units * outputs) / 16 * 3
    return max(
      products * tiles / model.vectorsPerCycle,
      products * 64 / ConvolutionCost.bytesPerCycle * Self.sharedMemory)
      + (transforms + sums) / max(model.vectorsPerCycle, 0.25)
  }

  func addedError(_ level: forge_level) -> Double {
    form.error(summing: summed, of: inputs) * level.facts.error_factor
  }

  var readsBorder: Bool { false }

  var canPool: Bool { form.canPool }

  var record: TuningRecord.Kernel {
    TuningRecord.Kernel(
      name: "winograd", panelWidth: panelWidth,
      tile: "\(form.tile.width)x\(form.tile.height)", summedChannels: summed)
  }

  /// Accepts shorter sums, which are more accurate, in whole blocks.
  func variant(_ record: TuningRecord.Kernel, panelWidth: Int) -> Self? {
    guard let shorter = record.summedChannels,
      shorter == summed
        || shorter >= form.leastSummed && shorter < min(summed, inputs)
          && shorter.isMultiple(of: PlannedTensor.lanes)
    else { return nil }
    var variant = self
    (variant.summed, variant.panelWidth) = (shorter, panelWidth)
    return variant.record == record ? variant : nil
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let problem = convolution.problem
    let operands = try plan.operands(of: convolution)
    let packed = WinogradForm(
      form: form, inputs: inputs, outputs: problem.outputs, panelWidth: panelWidth)
    let isPooled = convolution.pooling != nil
    let edges = problem.geometry.edges(width: problem.input[1], height: problem.input[0])
    var arguments = forge_winograd_arguments()
    arguments.in = forge_view(plan.tensor(operands.source))
    arguments.out = forge_view(plan.tensor(operands.target))
    arguments.weights = try plan.packedWeights(convolution, as: packed)
    arguments.bias = try plan.packedBias(convolution, count: packed.columns)
    arguments.kernel_height = Int32(clamping: form.kernel.height)
    arguments.kernel_width = Int32(clamping: form.kernel.width)
    arguments.tile_height = Int32(clamping: form.tile.height)
    arguments.tile_width = Int32(clamping: form.tile.width)
    arguments.stride = Int32(clamping: form.stride)
    arguments.pad_top = Int32(clamping: edges.top)
    arguments.pad_left = Int32(clamping: edges.left)
    arguments.height = Int32(clamping: problem.output[0])
    arguments.width = Int32(clamping: problem.output[1])
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.summed = Int32(clamping: AlignedMemory.round(summed, to: PlannedTensor.lanes))
    arguments.pooled = isPooled ? 1 : 0
    arguments.epilogue = forge_epilogue(convolution)
    let cut = WinogradCut(&arguments, threads: plan.settings.threads)
    let transformed = plan.addPlain([cut.transformedFloats])
    let products = plan.addPlain([cut.productsFloats])
    arguments.transformed_worker = Int64(cut.transformedWorker)
    arguments.products_worker = Int64(cut.productsWorker)
    if cut.isWhole {
      plan.addStep(
        "winograd input", plan.kernels.winograd_input, arguments,
        tiles: forge_winograd_input_tiles, reads: [\.in: operands.source],
        writes: [\.transformed: transformed])
    }
    // A step of its own has transformed the whole image.
    let (image, before) = cut.isWhole ? (nil, transformed) : (operands.source, nil)
    let work = form.units * packed.paddedInputs * problem.outputs
    plan.addStep(
      "winograd \(form.kernel) tile \(form.tile)"
        + (form.stride == 1 ? "" : " stride \(form.stride)") + (isPooled ? " pooled" : ""),
      cut.isWhole ? plan.kernels.winograd_output : plan.kernels.winograd, arguments,
      tiles: { cut.isWhole ? forge_winograd_output_tiles($0) : forge_winograd_tiles($0) },
      reads: [\.in: image, \.transformed: before, \.epilogue.residual: operands.residual],
      writes: [
        \.out: operands.target, \.transformed: before == nil ? transformed : nil,
        \.products: products,
      ],
      multiplyAdds: cut.tiles * work, parameterCount: work,
      firstWeights: FirstWeights(
        start: arguments.weights, count: packed.paddedInputs * panelWidth)
    ) { arguments, places in
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
    }
  }
}

extension WinogradTile {
  /// Returns the number of tiles in an image of outputs.
  fileprivate func tiles(of output: Size) -> Int {
    let columns = (output.width + tile.width - 1) / tile.width
    return columns * ((output.height + tile.height - 1) / tile.height)
  }

  /// Whether the image has so few tiles that a narrow panel takes all of them at once, and more
  /// than a wide one takes.
  ///
  /// The width must divide the outputs, or padding would cost more.
  fileprivate func isFew(tilesOf problem: ConvolutionProblem) -> Bool {
    guard problem.settings.sizesAreFixed,
      problem.outputs.isMultiple(of: 2 * PlannedTensor.lanes)
    else { return false }
    return (7...14).contains(tiles(of: Size(width: problem.output[1], height: problem.output[0])))
  }
}

/// Weights as `[panel][unit][inputs, rounded up to 16][panelWidth]`, zero-padded.
private struct WinogradForm: PackedForm {
  let form: WinogradTile
  let inputs, outputs, panelWidth: Int

  /// The outputs, rounded up to whole panels.
  var columns: Int { AlignedMemory.round(outputs, to: panelWidth) }
  /// The inputs, rounded up to whole blocks.
  var paddedInputs: Int { AlignedMemory.round(inputs, to: PlannedTensor.lanes) }

  var count: Int { columns * form.units * paddedInputs }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    forge_pack_winograd(
      packing.values, packing.memory, Int64(outputs), Int64(inputs),
      Int32(form.tile.height), Int32(form.kernel.height), Int32(form.tile.width),
      Int32(form.kernel.width), Int32(form.stride), Int64(panelWidth), packing.threads)
    return true
  }
}
