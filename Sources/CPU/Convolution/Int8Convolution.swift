import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Multiplies groups of four bytes and accumulates in 32-bit integers.
struct Int8Convolution: WordAlgorithm {
  let panelWidth: Int
  let isPreferred: Bool

  static let name = "int8"
  static let precision: CompileOptions.Precision? = .int8
  static let weightBytes = 1
  static let hasTotals = true
  static let channelsPerWord = 4
  /// Includes finding the range of the input.
  static let cyclesPerBlock = 9.0
  static var kernel: PrecisionKernel { \.byte_convolution }
  static var inputKernel: PrecisionKernel { \.byte_input }
  static var rangeKernel: PrecisionKernel? { \.byte_range }
  static let mostProducts = Int(FORGE_MOST_BYTE_PRODUCTS)

  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_byte(
      packing.values, packing.weights.assumingMemoryBound(to: UInt32.self), packing.scales,
      packing.totals, packing.outputs, packing.taps, packing.inputs, packing.panelWidth)
    return true
  }
}
