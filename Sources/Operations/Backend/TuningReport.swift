/// How the kernels of a model's convolutions were chosen.
public struct TuningReport: Sendable, CustomStringConvertible {
  /// The ways to choose, see ``CompileOptions/Tuning``.
  public enum Way: String, Sendable {
    /// By an estimate of their cost.
    case costModel = "cost model"
    /// By timing them.
    case measured
    /// As recorded.
    case recorded
  }

  /// What two kernels took in turns, all convolutions of one size together.
  public struct Comparison: Sendable {
    /// The convolution.
    public let convolution: TuningRecord.Convolution
    /// The best kernel so far, and the seconds it took.
    public let champion: (kernel: TuningRecord.Kernel, seconds: Double)
    /// The kernel it was compared with, and the seconds that took.
    public let challenger: (kernel: TuningRecord.Kernel, seconds: Double)
    /// Whether the second took the place of the first: it must take at most 97 % of its time and
    /// have been the faster one in three quarters of the turns.
    public let isWon: Bool

    /// Creates a comparison.
    package init(
      convolution: TuningRecord.Convolution,
      champion: (kernel: TuningRecord.Kernel, seconds: Double),
      challenger: (kernel: TuningRecord.Kernel, seconds: Double), isWon: Bool
    ) {
      self.convolution = convolution
      self.champion = champion
      self.challenger = challenger
      self.isWon = isWon
    }
  }

  /// The way.
  public let way: Way
  /// The kernels of the plan, whichever way they were chosen; empty where inputs take any size.
  public let record: TuningRecord
  /// The convolutions whose kernels were measured or recorded, but that the cost model chose for
  /// after all: the record has nothing of them, or the time for measuring was over.
  public let fallbacks: [TuningRecord.Convolution]
  /// The convolutions whose kernels are not those that the cost model chooses.
  public let differences: [TuningRecord.Convolution]
  /// What was measured, in order.
  public let comparisons: [Comparison]
  /// The seconds of a prediction by the cost model's plan and by the one of the record, measured in
  /// turns at the end; `nil` when nothing else than the cost model's choice won.
  public let predictionSeconds: (costModel: Double, measured: Double)?

  /// Creates a report.
  package init(
    way: Way, record: TuningRecord, fallbacks: [TuningRecord.Convolution] = [],
    differences: [TuningRecord.Convolution] = [], comparisons: [Comparison] = [],
    predictionSeconds: (costModel: Double, measured: Double)? = nil
  ) {
    self.way = way
    self.record = record
    self.fallbacks = fallbacks
    self.differences = differences
    self.comparisons = comparisons
    self.predictionSeconds = predictionSeconds
  }

  /// The record's kernels in words, a line each.
  public var description: String {
    var lines = ["Tuning: \(way.rawValue), \(record.threads) threads"]
    let (fallbacks, differences) = (Set(fallbacks), Set(differences))
    lines += record.choices.map { choice in
      let note =
        fallbacks.contains(choice.convolution)
        ? "  (by the cost model)" : differences.contains(choice.convolution) ? "  *" : ""
      return "  \(choice.convolution): \(choice.kernel)\(note)"
    }
    return lines.joined(separator: "\n")
  }
}
