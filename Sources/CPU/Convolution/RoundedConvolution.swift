import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Direct summation with weights rounded to the 24 bits that ``FixedPointConvolution`` stores.
///
/// A graph with states may be predicted one step at a time or many at once, with the same bits. The
/// plan for one step reads weights of 24 bits. The plan for many uses each weight often and reads
/// floats, so its floats must have the values of those 24 bits.
struct RoundedConvolution: ConvolutionAlgorithm {
  let problem: ConvolutionProblem
  private let direct: DirectConvolution

  static let sumsInOneOrder = true

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.settings.hasStates, !problem.isOfOnePixel,
      problem.settings.isEnabled(FixedPointConvolution.rewriteName ?? ""),
      FixedPointConvolution.suits(problem)
    else { return [] }
    let direct = DirectConvolution(panelWidth: problem.panelWidth)
    return [RoundedConvolution(problem: problem, direct: direct)]
  }

  /// Weights that fit must be rounded, whatever it costs.
  func cost(_ model: ConvolutionCost) -> Double { 0 }

  private var form: RoundedForm {
    RoundedForm(panels: direct.form(of: problem), accuracy: problem.settings.accuracy)
  }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    try weights.fit(form) ? self : nil
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let packed = try plan.packedWeights(convolution, as: form)
    try direct.addStep(
      "rounded convolution", for: convolution, operands,
      weights: packed.map { $0 + form.weightsStart }, to: &plan)
  }
}

/// Weights of 24 bits as floats: the scale of each output, then the weights in the layout of
/// ``PanelForm``.
struct RoundedForm: PackedForm {
  let panels: PanelForm
  /// The permitted error of an output's weights, relative to their median.
  let accuracy: Double

  /// The number of floats before the weights.
  var weightsStart: Int {
    Int(forge_rounded_scales(Int64(panels.outputs), Int64(panels.panelWidth)))
  }

  var count: Int { weightsStart + panels.count }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    forge_pack_rounded(
      packing.values, packing.memory + weightsStart, packing.memory, Int64(panels.outputs),
      Int64(panels.taps), Int64(panels.inputs), Int64(panels.panelWidth), accuracy,
      packing.threads) != 0
  }
}
