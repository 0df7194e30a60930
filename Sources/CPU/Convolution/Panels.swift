import ForgeOperations
import ForgeSystem

/// How output channels are divided into panels of weights, and images into segments, for threads to
/// share.
enum Panels {
  /// The output channels per panel of weights: the widest of 16 to 64 that pads the fewest
  /// channels, threads that share panels being equally busy.
  static func width(outputs: Int, threads: Int = 1) -> Int {
    let lanes = TensorDescriptor.blockWidth
    let blocks = (outputs + lanes - 1) / lanes
    let padded = { (width: Int) in
      let panels = (blocks + width - 1) / width
      return AlignedMemory.round(panels, to: threads) * width
    }
    let best = (1...4).min { (padded($0), -$0) < (padded($1), -$1) } ?? 4
    return best * lanes
  }

  /// The widths that panels of so many output channels may have.
  static func widths(outputs: Int) -> [Int] {
    let lanes = TensorDescriptor.blockWidth
    return (1...4).map { $0 * lanes }.filter { $0 <= AlignedMemory.round(outputs, to: lanes) }
  }

  /// Into how many segments an image seen as one long row is cut.
  static func segments(outputs: Int, width: Int, pixels: Int, threads: Int) -> Int {
    guard threads > 1, pixels > 1 else { return 1 }
    // Rows are dealt out on large images, panels on small ones, see ThreadSplit.
    if pixels >= ThreadSplit.rowsFrom { return min(threads, pixels / 24) }
    let panels = (outputs + width - 1) / width
    return (1...4 * threads).first { (panels * $0).isMultiple(of: threads) } ?? 1
  }
}
