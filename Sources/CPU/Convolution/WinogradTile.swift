import CForgeKernels
import ForgeShapes

/// A form of Winograd's minimal filtering: F(tile, kernel) along each axis.
///
/// A tile of `tile` outputs costs `points` products per pair of channels in place of `tile.width ·
/// tile.height · kernel.width · kernel.height`. Sources/Kernels/winograd.h has the matrices.
package struct WinogradTile: Hashable, Sendable {
  /// Outputs that are computed together; 1 along an axis whose kernel is 1.
  package let tile: Size
  /// Taps of the filter.
  package let kernel: Size
  /// The stride: 1, or 2 with a kernel of 3×3, whose four phases are filtered by every other tap.
  package var stride = 1

  /// The points of a tile's transforms.
  package var points: Int {
    let taps = { (kernel: Int) in stride == 2 ? (kernel + 1) / 2 : kernel }
    return (tile.width + taps(kernel.width) - 1) * (tile.height + taps(kernel.height) - 1)
  }

  /// The images that are transformed: with stride 2 those of every other row and column.
  package var phases: Int { stride * stride }

  /// The products per tile and pair of channels, of all phases.
  package var units: Int {
    Int(
      forge_winograd_units(
        Int32(clamping: tile.height), Int32(clamping: kernel.height), Int32(clamping: tile.width),
        Int32(clamping: kernel.width), Int32(clamping: stride)))
  }

  /// Whether the kernels can put a 2×2 maximum pooling at its end.
  package var canPool: Bool { isThere(pooled: true) }

  private func isThere(pooled: Bool) -> Bool {
    forge_has_winograd(
      Int32(clamping: tile.height), Int32(clamping: kernel.height), Int32(clamping: tile.width),
      Int32(clamping: kernel.width), Int32(clamping: stride), pooled ? 1 : 0) != 0
  }

  /// The forms there are for a kernel and a stride.
  package static func forms(of kernel: Size, stride: Size = .one) -> [WinogradTile] {
    guard stride.width == stride.height, stride.width <= 2 else { return [] }
    return [2, 3, 4, 6].map { side in
      WinogradTile(
        tile: Size(
          width: kernel.width == 1 ? 1 : side, height: kernel.height == 1 ? 1 : side),
        kernel: kernel, stride: stride.width)
    }.filter { $0.isThere(pooled: false) }
  }

  /// The relative L2 error of a convolution that sums over `summed` channels at a time.
  ///
  /// The error of a sum grows with the root of its length; transforming back magnifies it by a
  /// factor of the form. Measured against double precision on layer shapes of the networks of
  /// Docs/Performance.md (inputs uniform in 0…1 and normal, weights uniform in −1…1 and normal, 16
  /// to 1,024 channels): the error over the root of the channels, largest of each form, rounded up
  /// (`WinogradTileTests`).
  ///
  /// An output channel is the sum of its input channels, each transformed by itself: channels of
  /// any scale keep their own precision. Whatever the weights, the error of one output channel is
  /// at most 2.5 times that of random ones (the largest eigenvalue of what the transforms make of a
  /// window's rounding errors, over their mean).
  ///
  /// That of F(6, 7) is as much that of the partial sums' own sum (measured: 16 to 192 at a time of
  /// 32 to 1,024 channels).
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

  /// The channels to sum over at a time for an error of at most `accuracy`: all if that will do,
  /// else a multiple of 16; `nil` when none of at least ``leastSummed`` does.
  ///
  /// Shorter sums cost a pass over the products each: 1 to 2 % of a layer at 48 channels, 8 % at
  /// 16.
  package func summedChannels(of inputs: Int, accuracy: Double) -> Int? {
    if error(summing: inputs, of: inputs) <= accuracy { return inputs }
    let lanes = PlannedTensor.lanes
    let longest = (inputs - 1) / lanes * lanes
    return Swift.stride(from: longest, through: leastSummed, by: -lanes).first {
      error(summing: $0, of: inputs) <= accuracy
    }
  }

  /// The fewest channels to sum over at a time: fewer cost more than they gain.
  package var leastSummed: Int {
    isLargestOfSeven ? PlannedTensor.lanes : 2 * PlannedTensor.lanes
  }

  /// Whether this is F(6, 7), which would lose most of its precision in long sums.
  private var isLargestOfSeven: Bool {
    kernel.width * kernel.height == 7 && max(tile.width, tile.height) == 6
  }
}
