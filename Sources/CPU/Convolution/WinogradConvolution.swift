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
    guard problem.isTunable else { return [] }
    let geometry = problem.geometry
    let accuracy = problem.settings.accuracy / problem.settings.level.facts.error_factor
    return WinogradTile.forms(of: geometry.kernel, stride: geometry.stride).compactMap { form in
      form.summedChannels(of: problem.inputs, accuracy: accuracy).map { summed in
        WinogradConvolution(
          form: form, summed: summed, inputs: problem.inputs,
          panelWidth: problem.panelWidth)
      }
    }
  }

  /// Returns the estimated cycles.
  ///
  /// A transform takes 6.5 cycles per point and block of channels, both for inputs and outputs.
  ///
  /// Each further partial sum of `summed` channels reads and writes the products again, at 3 cycles
  /// per vector.
  func cost(_ model: ConvolutionCost) -> Double {
    let (inputs, outputs) = (model.inputs, model.outputs)
    let columns = (model.output.width + form.tile.width - 1) / form.tile.width
    let rows = (model.output.height + form.tile.height - 1) / form.tile.height
    let tiles = Double(columns * rows)
    let products = Double(form.units) * Double(inputs) * Double(outputs) / 16
    let transforms = tiles * Double(form.points) * 6.5 * Double(form.phases * inputs + outputs) / 16
    let passes = Double((inputs + summed - 1) / summed - 1)
    let sums = passes * tiles * Double(form.units * outputs) / 16 * 3
    return max(
      products * tiles / model.vectorsPerCycle, products * 64 / ConvolutionCost.bytesPerCycle)
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
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let packed = WinogradForm(
      form: form, inputs: inputs, outputs: problem.outputs, panelWidth: panelWidth)
    let weights = try plan.packedWeights(convolution, as: packed)
    let bias = try plan.packedBias(convolution, count: packed.columns)
    let isPooled = convolution.pooling != nil
    var sizes = arguments(for: problem, isPooled: isPooled)
    sizes.weights = weights
    sizes.bias = bias
    let cut = WinogradCut(&sizes, threads: plan.settings.threads)

    let transformed = plan.addPlain([cut.transformedFloats])
    let products = plan.addPlain([cut.productsFloats])
    let activation = convolution.activation
    let arguments = { [sizes] (places: TensorPlaces) in
      var arguments = sizes
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.transformed = places.view(transformed)
      arguments.products = places.view(products)
      arguments.transformed_worker = Int64(cut.transformedWorker)
      arguments.products_worker = Int64(cut.productsWorker)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return arguments
    }
    let name =
      "winograd \(form.kernel) tile \(form.tile)"
      + (form.stride == 1 ? "" : " stride \(form.stride)") + (isPooled ? " pooled" : "")
    let work = form.units * packed.paddedInputs * problem.outputs
    let firstWeights = FirstWeights(start: weights, count: packed.paddedInputs * panelWidth)
    if cut.isWhole {
      let first = plan.require(plan.kernels.winograd_input)
      let second = plan.require(plan.kernels.winograd_output)
      plan.addStep("winograd input", reads: [source], writes: [transformed]) { places in
        KernelCall(first, arguments(places), tiles: forge_winograd_input_tiles)
      }
      plan.addStep(
        name, reads: [transformed] + operands.added, writes: [target, products],
        multiplyAdds: cut.tiles * work, parameterCount: work, firstWeights: firstWeights
      ) { places in
        KernelCall(second, arguments(places), tiles: forge_winograd_output_tiles)
      }
    } else {
      let run = plan.require(plan.kernels.winograd)
      plan.addStep(
        name, reads: operands.reads, writes: [target, transformed, products],
        multiplyAdds: cut.tiles * work, parameterCount: work, firstWeights: firstWeights
      ) { places in
        KernelCall(run, arguments(places), tiles: forge_winograd_tiles)
      }
    }
  }

  /// Returns the kernel arguments that depend only on sizes.
  private func arguments(
    for problem: ConvolutionProblem, isPooled: Bool
  ) -> forge_winograd_arguments {
    let edges = problem.geometry.edges(width: problem.input[1], height: problem.input[0])
    var sizes = forge_winograd_arguments()
    sizes.in.channels = Int32(clamping: inputs)
    sizes.out.channels = Int32(clamping: problem.outputs)
    sizes.kernel_height = Int32(clamping: form.kernel.height)
    sizes.kernel_width = Int32(clamping: form.kernel.width)
    sizes.tile_height = Int32(clamping: form.tile.height)
    sizes.tile_width = Int32(clamping: form.tile.width)
    sizes.stride = Int32(clamping: form.stride)
    sizes.pad_top = Int32(clamping: edges.top)
    sizes.pad_left = Int32(clamping: edges.left)
    sizes.height = Int32(clamping: problem.output[0])
    sizes.width = Int32(clamping: problem.output[1])
    sizes.panel_width = Int32(clamping: panelWidth)
    sizes.summed = Int32(clamping: AlignedMemory.round(summed, to: PlannedTensor.lanes))
    sizes.pooled = isPooled ? 1 : 0
    return sizes
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
