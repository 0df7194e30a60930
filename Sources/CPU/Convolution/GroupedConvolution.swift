import CForgeKernels
import ForgeShapes
import ForgeSystem

/// Computes groups that share blocks of channels, one channel at a time, in one step.
///
/// A depthwise convolution with a channel multiplier has one group per input channel.
struct GroupedConvolution: ConvolutionAlgorithm {
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    let sharesBlocks =
      problem.kind == .convolution && problem.groups > 1
      && !problem.hasWholeBlocksPerGroup
    let hasMultiplier = problem.kind == .depthwise && problem.outputs > 1
    return sharesBlocks || hasMultiplier ? [GroupedConvolution()] : []
  }

  func cost(_ model: ConvolutionCost) -> Double { model.products * model.pixels }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let problem = convolution.problem
    let kernel = problem.geometry.kernel
    let outputs = problem.output[2]
    // Depthwise weights [channels][multiplier][height][width] are [outputs][height][width][1
    // input].
    let form = GroupForm(
      groups: problem.groups, height: kernel.height, width: kernel.width, inputs: problem.inputs,
      outputs: outputs)
    let weights = try plan.packedWeights(convolution, as: form)
    let bias = try plan.packedBias(
      convolution, count: AlignedMemory.round(outputs, to: PlannedTensor.lanes))
    let window = Window(problem.geometry, input: plan.tensor(source))
    let activation = convolution.activation
    let run = plan.require(plan.kernels.grouped_convolution)
    plan.addStep(
      "groupedConvolution \(kernel)", reads: operands.reads, writes: [target],
      multiplyAdds: PlanBuilder.saturatingProduct([
        plan.tensor(target).count, kernel.width, kernel.height, problem.inputs,
      ]),
      parameterCount: outputs * problem.taps * problem.inputs
    ) { places in
      var arguments = forge_grouped_convolution_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.weights = weights
      arguments.bias = bias
      arguments.groups = Int32(problem.groups)
      arguments.set(window)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return KernelCall(run, arguments, tiles: forge_grouped_convolution_tiles)
    }
  }
}

/// Weights as `[piece][height][inputs][width][16]`, zero-padded.
///
/// `forge_pack_grouped_convolution` defines the pieces. `inputs` counts one group, `outputs` all
/// groups.
private struct GroupForm: PackedForm {
  let groups, height, width, inputs, outputs: Int

  var count: Int {
    Int(
      forge_grouped_convolution_floats(
        Int64(groups), Int64(outputs), Int64(height), Int64(width), Int64(inputs)))
  }

  func write(_ packing: Packing) -> Bool {
    forge_pack_grouped_convolution(
      packing.values, packing.memory, Int64(groups), Int64(outputs), Int64(height),
      Int64(width), Int64(inputs))
    return true
  }
}
