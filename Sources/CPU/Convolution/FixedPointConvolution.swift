import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Weights of 24 bits in fixed point, about as exact as Float32 and three quarters as long, for one
/// output pixel.
struct FixedPointConvolution: NarrowConvolution {
  let problem: ConvolutionProblem

  static let rewriteName: String? = "fixedPointWeights"
  static let name = "24-bit-weight"
  static let precision: CompileOptions.Precision? = nil
  static let weightBytes = 3
  static let hasScales = true
  static let hasTotals = false

  /// Weights that fit into the second cache are at hand; 1 MB is the least that servers with
  /// AVX-512 have.
  ///
  /// Panels of few outputs would be padded, or too few for threads to share; whether there are
  /// enough cannot depend on the threads, because bits do not.
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.kind != .depthwise, problem.groups == 1,
      problem.isOfOnePixel,
      problem.outputs >= 8 * Int(FORGE_FIXED_PANEL_WIDTH),
      PlanBuilder.saturatingProduct([
        problem.taps, problem.inputs, problem.outputs,
      ]) >= 1 << 18,
      isAvailable(problem.settings.level)
    else { return [] }
    return [FixedPointConvolution(problem: problem)]
  }

  /// One pixel takes as long as its weights take to read.
  func cost(_ model: ConvolutionCost) -> Double {
    model.products * 16 * Double(Self.weightBytes) / ConvolutionCost.bytesPerCycle
  }

  static func kernel(_ kernels: forge_precision_table) -> forge_kernel? {
    kernels.fixed_convolution
  }

  /// Whether the error of each output's weights is at most `accuracy` of their median is what
  /// decides.
  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_fixed(
      packing.values, packing.weights, packing.scales, packing.outputs, packing.taps,
      packing.inputs, packing.accuracy, packing.threads) != 0
  }

  var panelWidth: Int { Int(FORGE_FIXED_PANEL_WIDTH) }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    try weights.fit(form(of: problem)) ? self : nil
  }
}
