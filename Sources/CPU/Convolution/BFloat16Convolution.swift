import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Multiplies pairs of bfloat16 and accumulates in Float32, by vectors.
///
/// Processors with AMX execute these instructions at half the rate of Float32, so
/// ``BFloat16TileConvolution`` replaces this algorithm there.
struct BFloat16Convolution: WordAlgorithm {
  let panelWidth: Int
  let isPreferred: Bool

  static let name = "bfloat16"
  static let precision: CompileOptions.Precision? = .bfloat16
  static let weightBytes = 2
  static let hasScales = false
  static let channelsPerWord = 2
  static let cyclesPerBlock = 5.0
  static var kernel: PrecisionKernel { \.bfloat_convolution }
  static var inputKernel: PrecisionKernel { \.bfloat_input }

  static func isAvailable(_ level: forge_level) -> Bool {
    forge_precision_kernels(level).bfloat_convolution != nil
      && !BFloat16TileConvolution.isAvailable(level)
  }

  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_bfloat(
      packing.values, packing.weights.assumingMemoryBound(to: UInt32.self), packing.outputs,
      packing.taps, packing.inputs, packing.panelWidth)
    return true
  }
}
