import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Weights in IEEE half precision and arithmetic in Float32, for one output pixel.
///
/// In a graph with states ``RoundedConvolution`` reads the same weights as floats for several
/// pixels.
struct HalfWeightConvolution: NarrowWeightAlgorithm {
  let panelWidth: Int

  static let name = "half-weight"
  static let precision: CompileOptions.Precision? = .halfWeights
  static let sumsInOneOrder = true
  static let weightBytes = 2
  static var kernel: PrecisionKernel { \.half_convolution }

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    problem.isOfOnePixel && suits(problem)
      ? [HalfWeightConvolution(panelWidth: problem.panelWidth)] : []
  }

  /// Whether half-precision weights of a convolution are requested and available for one pixel.
  static func suits(_ problem: ConvolutionProblem) -> Bool {
    problem.isUngrouped
      && computes(in: problem.settings.precision, level: problem.settings.level)
  }

  /// The user requested this precision, and it is not slower than Float32.
  func cost(_ model: ConvolutionCost) -> Double { 0 }

  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_half(
      packing.values, packing.weights.assumingMemoryBound(to: UInt16.self), packing.scales,
      packing.outputs, packing.taps, packing.inputs, packing.panelWidth)
    return true
  }
}
