import ForgeImporters

/// How the models of a server are run, where their config.pbtxt does not say.
public struct ModelOptions: Sendable {
  /// The most examples of a request.
  public var maximumBatch = 64
  /// The requests that may wait for a slot, for each model.
  public var queue = 128
  /// The predictions that may be in flight; `nil` for one more than there are cores.
  public var slots: Int?
  /// The threads of one prediction; `nil` for 1, or all cores with one slot.
  public var threads: Int?
  /// The latency that 99 of 100 requests are to keep, by which slots, threads and batch are chosen
  /// when a model is loaded; `nil` for the highest throughput.
  public var p99: Duration?
  /// Whether to measure if several examples in one prediction are faster.
  public var measuresBatches = true
  /// The most sequences of a model with states.
  public var sessions = 1024
  /// The time after which a sequence without requests ends.
  public var sessionIdle = Duration.seconds(60)
  /// The limits on model files.
  public var importLimits = ImportLimits()

  /// Creates the defaults.
  public init() {}
}
