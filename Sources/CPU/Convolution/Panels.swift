import ForgeSystem

/// Divides output channels into panels of weights, and images into segments that threads share.
enum Panels {
  /// The widths of a panel in blocks of output channels, the widest first.
  static let widestFirst = [4, 3, 2, 1]

  /// Returns the output channels per panel: the width with the least padding, counting panels that
  /// only balance the threads as padding; of several such widths the first one.
  static func width(outputs: Int, threads: Int = 1, of widths: [Int] = widestFirst) -> Int {
    let lanes = PlannedTensor.lanes
    let blocks = (outputs + lanes - 1) / lanes
    let padded = { (width: Int) in
      let panels = (blocks + width - 1) / width
      return AlignedMemory.round(panels, to: threads) * width
    }
    let best = widths.enumerated().min {
      (padded($0.element), $0.offset) < (padded($1.element), $1.offset)
    }
    return (best?.element ?? 4) * lanes
  }

  /// Returns the panel widths available for a number of output channels.
  static func widths(outputs: Int) -> [Int] {
    let lanes = PlannedTensor.lanes
    return (1...4).map { $0 * lanes }.filter { $0 <= AlignedMemory.round(outputs, to: lanes) }
  }

  /// Returns the number of segments of an image that is treated as one row.
  static func segments(of problem: ConvolutionProblem, width: Int, threads: Int) -> Int {
    let pixels = problem.outputPixels
    guard threads > 1, pixels > 1 else { return 1 }
    // Threads share rows on large images and panels on small ones; see ThreadSplit.
    if pixels >= ThreadSplit.rowsFrom { return min(threads, pixels / 24) }
    let panels = (problem.outputs + width - 1) / width
    return (1...4 * threads).first { (panels * $0).isMultiple(of: threads) } ?? 1
  }
}
