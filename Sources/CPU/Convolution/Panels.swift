import ForgeSystem

/// Divides output channels into panels of weights, and images into segments that threads share.
enum Panels {
  /// Returns the output channels per panel: the widest of 16 to 64 with the least padding, counting
  /// panels that only balance the threads as padding.
  static func width(outputs: Int, threads: Int = 1) -> Int {
    let lanes = PlannedTensor.lanes
    let blocks = (outputs + lanes - 1) / lanes
    let padded = { (width: Int) in
      let panels = (blocks + width - 1) / width
      return AlignedMemory.round(panels, to: threads) * width
    }
    let best = (1...4).min { (padded($0), -$0) < (padded($1), -$1) } ?? 4
    return best * lanes
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
