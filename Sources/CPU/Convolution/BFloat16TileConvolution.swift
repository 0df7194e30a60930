import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Multiplies tiles of bfloat16 by AMX and accumulates in Float32.
///
/// The image is converted to words in blocks of 32 channels, which are rows of tiles.
struct BFloat16TileConvolution: WordAlgorithm {
  let panelWidth: Int
  let isPreferred: Bool

  static let name = "bfloat16 tile"
  static let precision: CompileOptions.Precision? = .bfloat16
  static let weightBytes = 2
  static let blockChannels = Int(FORGE_TILE_CHANNELS)
  static let hasScales = false
  static let channelsPerWord = 2
  static let cyclesPerBlock = 2.0
  /// A sum adds its products in one order, whichever tile it is in.
  static let sumsInOneOrder = true
  static var kernel: PrecisionKernel { \.bfloat_tile_convolution }
  static var inputKernel: PrecisionKernel { \.bfloat_tile_input }
  static var inputTiles: @Sendable (UnsafePointer<forge_words_arguments>?) -> Int64 {
    forge_wide_words_tiles
  }

  /// The products in vectors of 16 per cycle of a tile that fills its registers.
  private static let vectorsPerCycle = 8.0
  /// The pixels of a tile.
  private static let tilePixels = 16
  /// The cycles for storing a vector of results.
  private static let cyclesPerResult = 1.5

  static func isAvailable(_ level: forge_level) -> Bool {
    level.facts.has_vectors != 0
      && forge_precision_kernels(level).bfloat_tile_convolution != nil
  }

  func cost(_ model: ConvolutionCost) -> Double {
    guard !isPreferred else { return 0 }
    let channels = Double(AlignedMemory.round(model.inputs, to: Self.blockChannels))
    let products = model.products * channels / Double(model.inputs)
    // The last tile of a row may be partly empty.
    let width = model.output.width
    let windows =
      model.pixels * Double(AlignedMemory.round(width, to: Self.tilePixels))
      / Double(max(width, 1))
    let words = Double(model.inputPixels) * channels / 16 * Self.cyclesPerBlock
    let results = model.pixels * Double(model.outputs) / 16 * Self.cyclesPerResult
    return max(
      products / Self.vectorsPerCycle * windows,
      products * 16 * Double(Self.weightBytes) / ConvolutionCost.bytesPerCycle) + words + results
  }

  static func pack(_ packing: NarrowPacking) -> Bool {
    forge_pack_wide_bfloat(
      packing.values, packing.weights.assumingMemoryBound(to: UInt32.self), packing.outputs,
      packing.taps, packing.inputs, packing.panelWidth, packing.threads)
    return true
  }
}
