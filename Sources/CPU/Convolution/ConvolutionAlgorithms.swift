import CForgeKernels
import ForgeOperations

/// The convolution algorithms there are.
enum ConvolutionAlgorithms {
  /// Every algorithm; among the cheapest candidates for a convolution the first is taken.
  static let all: [any ConvolutionAlgorithm.Type] = [
    PlainImageConvolution.self,
    DirectConvolution.self,
    WinogradConvolution.self,
    StrassenConvolution.self,
    FixedPointConvolution.self,
    HalfWeightConvolution.self,
    BFloat16Convolution.self,
    Int8Convolution.self,
    PerGroupConvolution.self,
    GroupedConvolution.self,
    DepthwiseAlgorithm.self,
  ]

  /// The names of those that users can switch off.
  static var rewriteNames: [String] { all.compactMap { $0.rewriteName } }

  /// Whether some algorithm computes in a precision below Float32 with the kernels of an
  /// instruction set.
  static func compute(in precision: CompileOptions.Precision, level: forge_level) -> Bool {
    all.contains { $0.computes(in: precision, level: level) }
  }
}
