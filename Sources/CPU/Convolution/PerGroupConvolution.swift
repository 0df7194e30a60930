import ForgeShapes

/// Direct summation for each group; every group's inputs and outputs are whole blocks of channels.
struct PerGroupConvolution: ConvolutionAlgorithm {
  let direct: DirectConvolution

  static let sumsInOneOrder = true

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.kind == .convolution, problem.groups > 1,
      problem.hasWholeBlocksPerGroup
    else { return [] }
    return [PerGroupConvolution(direct: DirectConvolution(panelWidth: problem.panelWidth))]
  }

  func cost(_ model: ConvolutionCost) -> Double { direct.cost(model) }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let problem = convolution.problem
    let whole = try plan.operands(of: convolution)
    for group in 0..<problem.groups {
      let (firstInput, firstOutput) = (group * problem.inputs, group * problem.outputs)
      let operands = ConvolutionOperands(
        source: plan.addPart(of: whole.source, from: firstInput, count: problem.inputs),
        target: plan.addPart(of: whole.target, from: firstOutput, count: problem.outputs),
        residual: whole.residual.map {
          plan.addPart(of: $0, from: firstOutput, count: problem.outputs)
        })
      try direct.addStep(for: convolution, operands, group: group, to: &plan)
    }
  }
}

extension ConvolutionProblem {
  /// Whether each group reads and writes whole blocks of channels.
  var hasWholeBlocksPerGroup: Bool {
    inputs.isMultiple(of: PlannedTensor.lanes) && outputs.isMultiple(of: PlannedTensor.lanes)
  }
}
