import CForgeKernels
import ForgeShapes

/// A form of Winograd's minimal filtering: F(tile, kernel) along each axis.
///
/// A tile of outputs costs `points` products per pair of channels instead of `tile.width ·
/// tile.height · kernel.width · kernel.height`. Sources/Kernels/winograd.h defines the matrices.
package struct WinogradTile: Hashable, Sendable {
  /// The outputs computed together; 1 along an axis whose kernel is 1.
  package let tile: Size
  /// The kernel size in taps.
  package let kernel: Size
  /// The stride: 1, or 2 with a 3×3 kernel; each of its four phases uses every other tap.
  package var stride = 1

  /// The number of points of a tile's transform.
  package var points: Int {
    let taps = { (kernel: Int) in stride == 2 ? (kernel + 1) / 2 : kernel }
    return (tile.width + taps(kernel.width) - 1) * (tile.height + taps(kernel.height) - 1)
  }

  /// The number of transformed images: with stride 2, one per parity of row and column.
  package var phases: Int { stride * stride }

  /// The products per tile and pair of channels over all phases.
  package var units: Int {
    Int(
      forge_winograd_units(
        Int32(clamping: tile.height), Int32(clamping: kernel.height), Int32(clamping: tile.width),
        Int32(clamping: kernel.width), Int32(clamping: stride)))
  }

  /// Whether the kernel can apply a subsequent 2×2 maximum pooling.
  package var canPool: Bool { isThere(pooled: true) }

  private func isThere(pooled: Bool) -> Bool {
    forge_has_winograd(
      Int32(clamping: tile.height), Int32(clamping: kernel.height), Int32(clamping: tile.width),
      Int32(clamping: kernel.width), Int32(clamping: stride), pooled ? 1 : 0) != 0
  }

  /// Returns the forms available for a kernel and a stride.
  package static func forms(of kernel: Size, stride: Size = .one) -> [WinogradTile] {
    guard stride.width == stride.height, stride.width <= 2 else { return [] }
    let sides = [(2, 2), (3, 3), (4, 4), (5, 5), (4, 5), (6, 6)]
    let isFlat = kernel.width == 1 || kernel.height == 1
    return sides.filter { $0 == $1 || !isFlat }.map { width, height in
      WinogradTile(
        tile: Size(
          width: kernel.width == 1 ? 1 : width, height: kernel.height == 1 ? 1 : height),
        kernel: kernel, stride: stride.width)
    }.filter { $0.isThere(pooled: false) }
  }

  /// Returns the relative L2 error of a convolution that sums `channels` of `inputs` channels at a
  /// time.
  ///
  /// The error of a sum grows with the square root of its length, and the inverse transform
  /// multiplies it by a factor of the form. The factors are the largest errors measured against
  /// double precision over the square root of the channels, rounded up (`WinogradTileTests`).
  ///
  /// Each input channel is transformed separately, so channels of any scale keep their precision.
  /// For any weights, the error of one output channel is at most 2.5 times that of random weights:
  /// the squared error is a quadratic form in the taps, and 2.5 bounds the square root of its
  /// largest eigenvalue over the mean one.
  ///
  /// The error of F(6, 7) also includes the addition of the partial sums.
  package func error(summing channels: Int, of inputs: Int) -> Double {
    let taps = kernel.width * kernel.height
    let side = max(tile.width, tile.height)
    if isLargestOfSeven {
      let length = Double(channels)
      return (2.9e-12 + 0.27e-12 * (length + Double(inputs) / length)).squareRoot()
    }
    let factor: Double =
      switch (taps, side) {
      case (9, 3) where stride == 2: 0.85e-7
      case (9, 4) where stride == 2: 1.9e-7
      case (9, 2): 0.5e-7
      case (9, 3): 1.45e-7
      case (9, 4): 1.22e-7
      case (9, 5) where tile.width < 5: 1.9e-7
      case (9, 5): 2.7e-7
      case (9, 6): 5.2e-7
      case (25, 2): 1.45e-7
      case (25, 4): 5.0e-7
      case (7, 2): 1.3e-7
      case (7, 4): 3.1e-7
      case (3, 2): 0.4e-7
      case (3, 4): 0.57e-7
      default: 1.16e-7
      }
    return factor * Double(channels).squareRoot()
  }

  /// Returns the channels to sum at a time for an error of at most `accuracy`: all, or else a
  /// multiple of 16; `nil` if fewer than ``leastSummed`` would be needed.
  ///
  /// Each partial sum costs another pass over the products.
  package func summedChannels(of inputs: Int, accuracy: Double) -> Int? {
    if error(summing: inputs, of: inputs) <= accuracy { return inputs }
    let lanes = PlannedTensor.lanes
    let longest = (inputs - 1) / lanes * lanes
    return Swift.stride(from: longest, through: leastSummed, by: -lanes).first {
      error(summing: $0, of: inputs) <= accuracy
    }
  }

  /// The minimum number of channels to sum at a time; shorter sums cost more than they gain.
  package var leastSummed: Int {
    isLargestOfSeven ? PlannedTensor.lanes : 2 * PlannedTensor.lanes
  }

  /// Whether this is F(6, 7), which loses most of its precision in long sums.
  private var isLargestOfSeven: Bool {
    kernel.width * kernel.height == 7 && max(tile.width, tile.height) == 6
  }
}
