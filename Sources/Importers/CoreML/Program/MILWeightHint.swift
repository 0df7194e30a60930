import Forge

/// What is known of weights that are integers times scales.
///
/// It says how they can be stored, and whoever relies on it compares them with the weights.
struct MILWeightHint: Sendable {
  /// The scales: one, or one for each entry of an axis; `nil` for others.
  private(set) var scales: [Float]?
  /// The blocks of the rows of a matrix of 4-bit integers; `nil` for others.
  private(set) var blocks: WeightBlocks?

  /// Kernels have blocks of this many inputs, in steps of 16.
  private static let blockSizes = 16...256

  /// Scales of a tensor of integers: one, or one for each entry of an axis.
  init(scales: [Float]) { self.scales = scales }

  /// Scales and offsets of blocks.
  ///
  /// - Parameters:
  ///   - scales: the scales.
  ///   - offsets: what is subtracted; `nil` for nothing.
  ///   - sizes: the sizes of both.
  ///   - data: the sizes of the integers.
  ///   - bits: the bits of an integer and whether it may be negative; `nil` for real numbers.
  init?(
    scales: [Float], offsets: [Float]?, sizes: [Int], of data: [Int],
    _ bits: (count: Int, isSigned: Bool)?
  ) {
    guard let bits else { return nil }
    let axes = sizes.indices.filter { sizes[$0] != 1 }
    if axes.isEmpty || axes.count == 1 && sizes[axes[0]] == data[axes[0]] { self.scales = scales }
    if bits.count == 4, data.count == 2 {
      blocks = Self.blocks(scales, offsets, sizes, data, least: bits.isSigned ? -8 : 0)
    }
    if self.scales == nil, blocks == nil { return nil }
  }

  private static func blocks(
    _ scales: [Float], _ offsets: [Float]?, _ sizes: [Int], _ data: [Int], least: Float
  ) -> WeightBlocks? {
    let (outputs, inputs) = (data[0], data[1])
    guard outputs > 0, inputs > 0 else { return nil }
    let length = inputs / sizes[1]
    // Blocks of the file may be as long as a row; those of a kernel may be parts of them.
    let size =
      sizes[1] == 1
      ? min((inputs + 15) / 16 * 16, 128)
      : stride(from: blockSizes.upperBound, through: blockSizes.lowerBound, by: -16)
        .first { length.isMultiple(of: $0) }
    guard let size else { return nil }
    let count = (inputs + size - 1) / size
    let places = (0..<outputs * count).map { place in
      let (output, block) = place.quotientAndRemainder(dividingBy: count)
      return output / (outputs / sizes[0]) * sizes[1] + block * size / length
    }
    let zeros = places.compactMap { UInt8(exactly: (offsets?[$0] ?? 0) - least) }
    guard zeros.count == places.count, zeros.allSatisfy({ $0 < 16 }) else { return nil }
    return WeightBlocks(size: size, scales: places.map { scales[$0] }, zeros: zeros)
  }
}
