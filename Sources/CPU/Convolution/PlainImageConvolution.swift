import CForgeKernels
import ForgeShapes

/// Applies the micro-kernel directly to a model input: a row-major image of few channels.
struct PlainImageConvolution: ConvolutionAlgorithm {
  let panelWidth: Int

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    let geometry = problem.geometry
    guard problem.kind == .convolution, problem.groups == 1, problem.readsModelInput,
      geometry.dilation == .one,
      forge_plain_convolution_fits(
        Int64(geometry.kernel.height), Int64(geometry.kernel.width), Int64(geometry.stride.width),
        Int64(problem.inputs)) != 0
    else { return [] }
    return [PlainImageConvolution(panelWidth: Panels.width(outputs: problem.outputs))]
  }

  /// Other algorithms would first pad the channels to whole blocks.
  func cost(_ model: ConvolutionCost) -> Double { 0 }

  var readsBorder: Bool { false }

  var readsPlainInput: Bool { true }

  var canPool: Bool { true }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let problem = convolution.problem
    let (kernel, isPooled) = (problem.geometry.kernel, convolution.pooling != nil)
    let source = try plan.plain(convolution.node.inputs[0])
    let target = plan.blockedResult(convolution.output)
    // One row of the kernel, with all its columns and channels, is one tap.
    let form = PanelForm(
      taps: kernel.height, inputs: kernel.width * problem.inputs, outputs: problem.outputs,
      panelWidth: panelWidth)
    var arguments = forge_plain_convolution_arguments()
    arguments.weights = try plan.packedWeights(convolution, as: form)
    arguments.bias = try plan.packedBias(convolution, count: form.columns)
    arguments.setUndilated(problem.geometry, input: plan.tensor(source))
    arguments.height = Int32(clamping: problem.output[0])
    arguments.width = Int32(clamping: problem.output[1])
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.pooled = isPooled ? 1 : 0
    arguments.activation = forge_activation(convolution.activation)
    plan.addStep(
      "plain convolution \(kernel) panel \(panelWidth)" + (isPooled ? " pooled" : ""),
      plan.kernels.plain_convolution, arguments, tiles: forge_plain_convolution_tiles,
      parts: plan.tensor(target).height, reads: [\.in: source], writes: [\.out: target],
      multiplyAdds: problem.output.reduce(problem.taps * problem.inputs, *),
      parameterCount: problem.weightCount)
  }
}
