import ForgeOperations
import ForgeSystem

/// The candidates that can be measured, as records have them.
extension ConvolutionCandidates {
  /// The cost model's choice: the first of the cheapest.
  ///
  /// The direct algorithm is always among them.
  var best: TuningRecord.Kernel? { measured.min { $0.cost < $1.cost }?.algorithm.record }

  /// Estimates that are more than this many times the best are not worth a measurement.
  private static let hopeless = 1.6

  /// The kernels to time besides the cost model's choice, the most promising first.
  var challengers: [TuningRecord.Kernel] {
    let (measured, best) = (measured, best)
    let least = measured.map(\.cost).min() ?? 0
    return measured.filter { $0.algorithm.record != best && $0.cost <= Self.hopeless * least }
      .sorted { $0.cost < $1.cost }.map(\.algorithm.record)
  }

  /// The same kernel with other panels that are not much narrower and do not pad many more
  /// channels.
  func otherWidths(of kernel: TuningRecord.Kernel) -> [TuningRecord.Kernel] {
    guard let algorithm = variant(kernel) else { return [] }
    let made = panelledOutputs(of: algorithm)
    let padded = { (width: Int) in AlignedMemory.round(made, to: width) }
    return panelWidths(of: algorithm).reversed().filter {
      // With a panel of 16 each load feeds one product; those of 32 and more reach the peak.
      $0 != algorithm.panelWidth && $0 >= 32
        && Double(padded($0)) <= 1.125 * Double(padded(algorithm.panelWidth))
    }.map { width in
      var other = algorithm
      other.panelWidth = width
      return other.record
    }
  }

  /// What ``variant(_:)`` allows, in words, a line each.
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
