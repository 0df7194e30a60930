import ForgeShapes

/// How the kernels of a model's convolutions were chosen.
public struct TuningReport: Sendable, CustomStringConvertible {
  /// The methods of choosing kernels; see ``CompileOptions/Tuning``.
  public enum Way: String, Sendable {
    /// By an estimate of their cost.
    case costModel = "cost model"
    /// By timing.
    case measured
    /// From a record.
    case recorded
  }

  /// The times of two kernels that ran alternately, summed over all convolutions of one size.
  public struct Comparison: Sendable {
    /// The convolution.
    public let convolution: TuningRecord.Convolution
    /// The best kernel so far and its time in seconds.
    public let champion: (kernel: TuningRecord.Kernel, seconds: Double)
    /// The kernel compared with it and its time in seconds.
    public let challenger: (kernel: TuningRecord.Kernel, seconds: Double)
    /// Whether the challenger replaced the champion.
    ///
    /// It must take less than 97 % of the champion's time and be faster in at least three quarters
    /// of the turns.
    public let isWon: Bool

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

  /// The method that was used.
  public let way: Way
  /// The kernels of the plan, however they were chosen; empty if input sizes are unknown.
  public let record: TuningRecord
  /// The convolutions for which the cost model was used instead of a measurement or record.
  ///
  /// The record does not contain them, or the time for measurements ran out.
  public let fallbacks: [TuningRecord.Convolution]
  /// The convolutions whose kernels differ from the cost model's choice.
  public let differences: [TuningRecord.Convolution]
  /// The comparisons in order.
  public let comparisons: [Comparison]
  /// The seconds of a prediction with the cost model's kernels and with the measured ones.
  ///
  /// Both were measured alternately after all comparisons. It is `nil` if every winner is the cost
  /// model's choice, or if memory did not suffice.
  public let predictionSeconds: (costModel: Double, measured: Double)?

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

  /// The record's kernels, one line each.
  public var description: String {
    var lines = ["Tuning: \(way.rawValue), \(ShapeError.counted(record.threads, "thread"))"]
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
