import CForgeKernels
import ForgeOperations
import ForgeShapes

/// 24-bit fixed-point weights for one output pixel: about as accurate as Float32 at three quarters
/// of its size.
///
/// In a graph with states the pixel may be one of a sequence, whose other plans must compute the
/// same bits. The scales are then powers of two, and ``RoundedConvolution`` reads the same weights
/// as floats.
struct FixedPointConvolution: NarrowWeightAlgorithm {
  let problem: ConvolutionProblem

  static let rewriteName: String? = "fixedPointWeights"
  static let sumsInOneOrder = true
  static let name = "24-bit-weight"
  static let precision: CompileOptions.Precision? = nil
  static let weightBytes = 3
  static var kernel: PrecisionKernel { \.fixed_convolution }

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    problem.isOfOnePixel && suits(problem) ? [FixedPointConvolution(problem: problem)] : []
  }

  /// Whether 24-bit weights of a convolution are available and worth it for one pixel: from 1 MB of
  /// Float32 on.
  ///
  /// Fewer weights fit into the second-level cache, of which most servers have 1 MB, and gain
  /// nothing from compression.
  ///
  /// With few outputs, panels would be padded or too few for the threads to share. The minimum does
  /// not depend on the number of threads, because results must not.
  static func suits(_ problem: ConvolutionProblem) -> Bool {
    problem.isUngrouped && problem.outputs >= 4 * Int(FORGE_FIXED_PANEL_WIDTH)
      && problem.taps.multipliedSaturated(by: problem.inputs)
        .multipliedSaturated(by: problem.outputs) >= 1 << 18
      && isAvailable(problem.settings.level)
  }

  /// For one pixel the time is that of reading the weights.
  func cost(_ model: ConvolutionCost) -> Double {
    model.products * 16 * Double(Self.weightBytes) / ConvolutionCost.bytesPerCycle
  }

  /// Packs the weights if their error is small enough.
  ///
  /// The error of each output's weights is bounded by `accuracy` times their median, that of each
  /// input's weights by `accuracy` times their L2 norm.
  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_fixed(
      packing.values, packing.weights, packing.scales, packing.outputs, packing.taps,
      packing.inputs, packing.accuracy, packing.scalesArePowers ? 1 : 0, packing.threads) != 0
  }

  var panelWidth: Int { Int(FORGE_FIXED_PANEL_WIDTH) }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    try weights.fit(form(of: problem)) ? self : nil
  }
}
