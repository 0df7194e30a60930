import ForgeOperations
import ForgeSystem

/// Candidates for measurement, in the form of tuning records.
extension ConvolutionRanking {
  /// The cost model's choice: the first of the cheapest candidates.
  ///
  /// The direct algorithm is always a candidate.
  var best: TuningRecord.Kernel? { measured.min { $0.cost < $1.cost }?.algorithm.record }

  /// A candidate is not measured if its estimate exceeds the least one by more than this factor.
  private static let hopeless = 1.6

  /// The kernels to measure against the cost model's choice, in order of estimated cost.
  var challengers: [TuningRecord.Kernel] {
    let (measured, best) = (measured, best)
    let least = measured.map(\.cost).min() ?? 0
    return measured.filter { $0.algorithm.record != best && $0.cost <= Self.hopeless * least }
      .sorted { $0.cost < $1.cost }.map(\.algorithm.record)
  }

  /// Returns the same kernel with other panel widths that add little padding, widest first.
  func otherWidths(of kernel: TuningRecord.Kernel) -> [TuningRecord.Kernel] {
    guard let algorithm = variant(kernel) else { return [] }
    let made = panelledOutputs(of: algorithm)
    let padded = { (width: Int) in AlignedMemory.round(made, to: width) }
    return panelWidths(of: algorithm).reversed().filter {
      // A panel of 16 uses each loaded value for one product; panels of 32 or more reach the peak.
      $0 != algorithm.panelWidth && $0 >= 32
        && Double(padded($0)) <= 1.125 * Double(padded(algorithm.panelWidth))
    }.map { width in
      var other = algorithm
      other.panelWidth = width
      return other.record
    }
  }

  /// Descriptions of the kernels that ``variant(_:)`` accepts.
  var possible: [String] {
    measured.map { _, algorithm in
      let kernel = algorithm.record
      let panels = panelWidths(of: algorithm).map(String.init).joined(separator: " or ")
      let parts = [
        kernel.tile.map { "tile \($0)" }, kernel.summedChannels.map { "summed \($0) or fewer" },
        kernel.levels.map { "levels \($0)" }, kernel.segments.map { "segments \($0)" },
      ]
      return ([kernel.name] + parts.compactMap(\.self) + ["panel \(panels)"])
        .joined(separator: " ")
    }
  }
}
