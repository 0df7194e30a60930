import CForgeKernels
import ForgeShapes

/// A form of Winograd's minimal filtering: F(tile, kernel) along each axis.
///
/// A tile of `tile` outputs costs `points` products per pair of channels in place of
/// `tile.width · tile.height · kernel.width · kernel.height`. Sources/Kernels/winograd.h has the matrices.
package struct WinogradTile: Hashable, Sendable {
  /// Outputs that are computed together; 1 along an axis whose kernel is 1.
  package let tile: Size
  /// Taps of the filter.
  package let kernel: Size

  /// The products per tile and pair of channels.
  package var points: Int {
    (tile.width + kernel.width - 1) * (tile.height + kernel.height - 1)
  }

  /// Whether the kernels can put a 2×2 maximum pooling at its end.
  package var canPool: Bool { isThere(pooled: true) }

  private func isThere(pooled: Bool) -> Bool {
    forge_has_winograd(
      Int32(clamping: tile.height), Int32(clamping: kernel.height), Int32(clamping: tile.width),
      Int32(clamping: kernel.width), pooled ? 1 : 0) != 0
  }

  /// The forms there are for a kernel.
  package static func forms(of kernel: Size) -> [WinogradTile] {
    [2, 3, 4, 6].map { side in
      WinogradTile(
        tile: Size(
          width: kernel.width == 1 ? 1 : side, height: kernel.height == 1 ? 1 : side),
        kernel: kernel)
    }.filter { $0.isThere(pooled: false) }
  }

  /// The relative L2 error of a convolution that sums over `summed` channels at a time.
  ///
  /// The error of a sum grows with the root of its length; transforming back magnifies it by a factor of
  /// the form. Measured against the direct kernel with AVX-512 on 17 layer shapes of the four networks
  /// of Docs/Performance.md (inputs uniform in 0…1, weights in −1…1, 16 to 1,024 channels): the error
  /// over the root of the channels, largest of each form, rounded up.
  package func error(summing channels: Int) -> Double {
    let taps = kernel.width * kernel.height
    let side = max(tile.width, tile.height)
    let factor: Double =
      switch (taps, side) {
      case (9, 2): 0.5e-7
      case (9, 3): 1.0e-7
      case (9, 4): 0.9e-7
      case (9, 6): 3.5e-7
      case (25, 2): 1.3e-7
      case (25, 4): 3.6e-7
      case (7, 2): 0.9e-7
      case (7, 4): 1.9e-7
      case (3, 2): 0.4e-7
      case (3, 4): 0.45e-7
      default: 0.75e-7
      }
    return factor * Double(channels).squareRoot()
  }

  /// The channels to sum over at a time for an error of at most `accuracy`: all if that will do, else a
  /// multiple of 16; `nil` when no length of at least 32 does.
  ///
  /// Shorter sums cost a pass over the products each: 1 to 2 % of a layer at 48 channels.
  package func summedChannels(of inputs: Int, accuracy: Double) -> Int? {
    if error(summing: inputs) <= accuracy { return inputs }
    let lanes = PlannedTensor.lanes
    let unit = error(summing: 1)
    let most = Int((accuracy / unit) * (accuracy / unit)) / lanes * lanes
    return most >= 2 * lanes ? most : nil
  }
}
