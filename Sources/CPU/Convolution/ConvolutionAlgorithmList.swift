import CForgeKernels
import ForgeOperations

/// The list of convolution algorithms.
enum ConvolutionAlgorithmList {
  /// All algorithms; if several candidates are equally cheap, the first in this order is used.
  static let all: [any ConvolutionAlgorithm.Type] = [
    BFloat16ImageConvolution.self,
    PlainImageConvolution.self,
    BFloat16TileConvolution.self,
    DirectConvolution.self,
    WinogradConvolution.self,
    StrassenConvolution.self,
    FixedPointConvolution.self,
    RoundedConvolution.self,
    HalfWeightConvolution.self,
    BFloat16Convolution.self,
    Int8Convolution.self,
    PerGroupConvolution.self,
    GroupedConvolution.self,
    PerChannelConvolution.self,
  ]

  /// The names of the algorithms that can be disabled.
  static var rewriteNames: [String] { all.compactMap { $0.rewriteName } }

  /// Whether any algorithm supports a precision below Float32 on an instruction set.
  static func compute(in precision: CompileOptions.Precision, level: forge_level) -> Bool {
    all.contains { $0.computes(in: precision, level: level) }
  }
}
