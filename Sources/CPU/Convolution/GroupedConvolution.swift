import CForgeKernels
import ForgeShapes
import ForgeSystem

/// Computes groups that share blocks of channels, one channel at a time, in one step.
///
/// A depthwise convolution with a channel multiplier has one group per input channel.
struct GroupedConvolution: ConvolutionAlgorithm {
  static let sumsInOneOrder = true

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
    let problem = convolution.problem
    let (kernel, outputs) = (problem.geometry.kernel, problem.output[2])
    // Depthwise weights [channels][multiplier][height][width] are [outputs][height][width][1
    // input].
    let form = GroupForm(
      groups: problem.groups, height: kernel.height, width: kernel.width, inputs: problem.inputs,
      outputs: outputs)
    var arguments = forge_grouped_convolution_arguments()
    arguments.weights = try plan.packedWeights(convolution, as: form)
    arguments.bias = try plan.packedBias(
      convolution, count: AlignedMemory.round(outputs, to: PlannedTensor.lanes))
    arguments.groups = Int32(problem.groups)
    arguments.set(problem.geometry, input: plan.tensor(operands.source))
    arguments.epilogue = forge_epilogue(convolution)
    plan.addStep(
      "groupedConvolution \(kernel)", plan.kernels.grouped_convolution, arguments,
      tiles: forge_grouped_convolution_tiles,
      reads: [\.in: operands.source, \.epilogue.residual: operands.residual],
      writes: [\.out: operands.target],
      multiplyAdds: plan.multiplyAdds(operands.target, of: problem),
      parameterCount: problem.groups * problem.weightCount)
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
