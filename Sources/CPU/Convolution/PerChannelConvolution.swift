import CForgeKernels
import ForgeShapes
import ForgeSystem

/// Computes each channel separately, one block of channels at a time.
struct PerChannelConvolution: ConvolutionAlgorithm {
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    problem.kind == .depthwise && problem.outputs == 1 ? [PerChannelConvolution()] : []
  }

  func cost(_ model: ConvolutionCost) -> Double { model.products * model.pixels }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let problem = convolution.problem
    let (channels, kernel) = (problem.groups, problem.geometry.kernel)
    let weights = try plan.packedWeights(
      convolution, as: ChannelForm(taps: problem.taps, channels: channels))
    let bias = try plan.packedBias(
      convolution, count: AlignedMemory.round(channels, to: PlannedTensor.lanes))
    let window = Window(problem.geometry, input: plan.tensor(source))
    let activation = convolution.activation
    let run = plan.require(plan.kernels.depthwise)
    plan.addStep(
      "depthwise \(kernel)", reads: operands.reads, writes: [target],
      multiplyAdds: PlanBuilder.saturatingProduct([
        plan.tensor(target).count, kernel.width, kernel.height,
      ]),
      parameterCount: channels * problem.taps
    ) { places in
      var arguments = forge_depthwise_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.weights = weights
      arguments.bias = bias
      arguments.set(window)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return KernelCall(
        run, arguments, tiles: forge_depthwise_tiles, parts: Int(arguments.out.height))
    }
  }
}

/// Weights as `[block][tap][16]`, zero-padded.
private struct ChannelForm: PackedForm {
  let taps, channels: Int

  var count: Int { AlignedMemory.round(channels, to: PlannedTensor.lanes) * taps }

  func write(_ packing: Packing) -> Bool {
    guard let values = packing.values else { return true }
    let lanes = PlannedTensor.lanes
    for channel in 0..<channels {
      for tap in 0..<taps {
        packing.memory[(channel / lanes * taps + tap) * lanes + channel % lanes] =
          values[channel * taps + tap]
      }
    }
    return true
  }
}
