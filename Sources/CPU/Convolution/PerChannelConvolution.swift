import CForgeKernels
import ForgeShapes
import ForgeSystem

/// Computes each channel separately, one block of channels at a time.
struct PerChannelConvolution: ConvolutionAlgorithm {
  static let sumsInOneOrder = true

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    problem.kind == .depthwise && problem.outputs == 1 ? [PerChannelConvolution()] : []
  }

  func cost(_ model: ConvolutionCost) -> Double { model.products * model.pixels }

  var readsBorder: Bool { false }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let problem = convolution.problem
    let channels = problem.groups
    var arguments = forge_depthwise_arguments()
    arguments.weights = try plan.packedWeights(
      convolution, as: ChannelForm(taps: problem.taps, channels: channels))
    arguments.bias = try plan.packedBias(
      convolution, count: AlignedMemory.round(channels, to: PlannedTensor.lanes))
    arguments.set(problem.geometry, input: plan.tensor(operands.source))
    arguments.epilogue = forge_epilogue(convolution)
    plan.addStep(
      "depthwise \(problem.geometry.kernel)", plan.kernels.depthwise, arguments,
      tiles: forge_depthwise_tiles, parts: plan.tensor(operands.target).height,
      reads: [\.in: operands.source, \.epilogue.residual: operands.residual],
      writes: [\.out: operands.target],
      multiplyAdds: plan.multiplyAdds(operands.target, of: problem),
      parameterCount: channels * problem.taps)
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
