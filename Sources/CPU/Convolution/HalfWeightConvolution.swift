import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Weights in IEEE half precision and arithmetic in Float32, for one output pixel.
struct HalfWeightConvolution: NarrowWeightAlgorithm {
  let panelWidth: Int

  static let name = "half-weight"
  static let precision: CompileOptions.Precision? = .halfWeights
  static let weightBytes = 2
  static var kernel: PrecisionKernel { \.half_convolution }

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard computes(in: problem.settings.precision, level: problem.settings.level),
      problem.isUngrouped, problem.isOfOnePixel
    else { return [] }
    return [HalfWeightConvolution(panelWidth: problem.panelWidth)]
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
