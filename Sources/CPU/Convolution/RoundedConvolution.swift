import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Direct summation with weights rounded to those that ``FixedPointConvolution`` or
/// ``HalfWeightConvolution`` stores.
///
/// A graph with states may be predicted one step at a time or many at once, with the same bits. The
/// plan for one step reads narrow weights. The plan for many uses each weight often and reads
/// floats, so its floats must have the values of the narrow weights.
struct RoundedConvolution: ConvolutionAlgorithm {
  private let form: RoundedForm

  static let sumsInOneOrder = true

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.settings.hasStates, !problem.isOfOnePixel else { return [] }
    let panels = DirectConvolution(panelWidth: problem.panelWidth).form(of: problem)
    if HalfWeightConvolution.suits(problem) {
      return [RoundedConvolution(form: RoundedForm(panels: panels, weights: .halves))]
    }
    guard FixedPointConvolution.isEnabled(problem.settings),
      FixedPointConvolution.suits(problem)
    else { return [] }
    let weights = RoundedForm.Weights.fixed(accuracy: problem.settings.accuracy)
    return [RoundedConvolution(form: RoundedForm(panels: panels, weights: weights))]
  }

  /// Weights that fit must be rounded, whatever it costs.
  func cost(_ model: ConvolutionCost) -> Double { 0 }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    try weights.fit(form) ? self : nil
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let packed = try plan.packedWeights(convolution, as: form)
    try DirectConvolution(panelWidth: form.panels.panelWidth).addStep(
      "rounded convolution", for: convolution, operands,
      weights: packed.map { $0 + form.weightsStart }, to: &plan)
  }
}

/// Narrow weights as floats: the scale of each output where packing needs it, then the weights in
/// the layout of ``PanelForm``.
struct RoundedForm: PackedForm {
  /// The weights that the floats stand for.
  enum Weights: Hashable {
    /// 24-bit weights; `accuracy` is the permitted error of an output's weights, relative to their
    /// median.
    case fixed(accuracy: Double)
    case halves
  }

  let panels: PanelForm
  let weights: Weights

  /// The number of floats before the weights.
  var weightsStart: Int {
    switch weights {
    case .fixed: Int(forge_rounded_scales(Int64(panels.outputs), Int64(panels.panelWidth)))
    case .halves: 0
    }
  }

  var count: Int { weightsStart + panels.count }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    let to = packing.memory + weightsStart
    let (outputs, taps) = (Int64(panels.outputs), Int64(panels.taps))
    let (inputs, width) = (Int64(panels.inputs), Int64(panels.panelWidth))
    switch weights {
    case .fixed(let accuracy):
      return forge_pack_rounded(
        packing.values, to, packing.memory, outputs, taps, inputs, width, accuracy,
        packing.threads) != 0
    case .halves:
      forge_pack_rounded_half(packing.values, to, outputs, taps, inputs, width, packing.threads)
      return true
    }
  }
}
