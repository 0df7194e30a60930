import Forge

/// How many predictions of a model run at once, with how many threads and examples each.
///
/// What neither config.pbtxt nor the options state is measured when the model is loaded.
struct ModelSizing: CustomStringConvertible {
  private(set) var slots: Int
  private(set) var threads: Int
  /// The examples of one prediction; 1 where several are not faster.
  private(set) var batch = 1
  /// How long the first example of a batch waits for others.
  private(set) var window = Duration.zero
  /// The requests that may wait or run.
  private(set) var capacity = 0
  /// The time of one example by itself; `nil` where it was not measured.
  private(set) var single: Duration?
  /// The time of one example in a batch.
  private(set) var perExample: Duration?
  private let goal: Duration?

  /// Batches are used if an example takes less than this share of its time alone.
  ///
  /// With a larger share the gain would be lost in waiting for the longest of a batch.
  private static let worthwhileShare = 0.8
  /// The examples of a batch that is measured.
  private static let measuredBatch = 8
  /// No model is measured whose prediction takes longer.
  private static let longestMeasured = Duration.milliseconds(60)
  /// The most memory of one slot of a batch.
  private static let slotByteLimit = 64 << 20

  init(
    _ network: CompiledModel, isBatched: Bool, exampleMixer: String?,
    configuration: ModelConfiguration, options: ModelOptions
  ) throws {
    let cores = network.usableCores ?? 1
    let defaults = RunnerSizing.sensible(for: .throughput, cores: cores)
    slots = configuration.instances ?? options.slots ?? defaults.inflightBuffers
    threads = options.threads ?? (slots > 1 ? 1 : cores)
    goal = options.p99
    window = configuration.queueDelay ?? .zero
    try measure(
      network, isBatched: isBatched, exampleMixer: exampleMixer, configuration, options, cores)
    let inFlight = slots * batch
    capacity = inFlight + (configuration.queueSize ?? options.queue)
    if let goal, let single {
      // A request that waits longer than the goal is refused at once instead.
      let each = (perExample ?? single) / min(slots * threads, cores)
      capacity = min(capacity, max(Int(goal / max(each, .microseconds(1))), 1))
    }
  }

  private mutating func measure(
    _ network: CompiledModel, isBatched: Bool, exampleMixer: String?,
    _ configuration: ModelConfiguration, _ options: ModelOptions, _ cores: Int
  ) throws {
    guard network.inputShapes.allSatisfy(\.isKnown), network.maximumLength == nil else { return }
    let most = min(configuration.preferredBatch ?? network.maximumBatch, network.maximumBatch)
    let context = try Context(network, threads: threads)
    // The first prediction also touches the memory.
    try context.predict()
    let alone = try Self.time(context, batch: 1)
    single = alone
    if let goal, alone > goal / 2, cores > 1, configuration.instances == nil, options.slots == nil {
      // One core is too slow for the goal: all of them work on each prediction.
      (slots, threads) = (2, cores)
      single = try Self.time(try Context(network, threads: threads), batch: 1)
      return
    }
    guard isBatched, BatchedNetwork.takes(network, exampleMixer: exampleMixer), most > 1 else {
      return
    }
    if let batch = configuration.preferredBatch {
      self.batch = min(batch, most)
      return
    }
    guard options.measuresBatches, alone < Self.longestMeasured else { return }
    let size = min(Self.measuredBatch, most)
    guard try network.workspaceSize(batch: size) <= Self.slotByteLimit else { return }
    let several = try Context(network, batch: size, threads: threads)
    try several.predict(batch: size)
    let each = try Self.time(several, batch: size) / size
    perExample = each
    guard each < alone * Self.worthwhileShare else { return }
    var wanted = most
    if let goal { wanted = min(wanted, max(Int(goal / 2 / max(each, .nanoseconds(1))), 1)) }
    while wanted > 1, try network.workspaceSize(batch: wanted) > Self.slotByteLimit { wanted /= 2 }
    batch = wanted
  }

  /// The shortest of some predictions of zeros.
  private static func time(_ context: Context, batch: Int) throws -> Duration {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .milliseconds(100))
    var shortest = Duration.seconds(3600)
    for _ in 0..<20 {
      shortest = min(shortest, try clock.measure { try context.predict(batch: batch) })
      if clock.now > end { break }
    }
    return shortest
  }

  /// The plan in one line.
  var description: String {
    var text = "\(slots) slots of \(threads) \(threads == 1 ? "thread" : "threads"), "
    text += batch > 1 ? "batches of up to \(batch)" : "one example at a time"
    if window > .zero { text += " gathered for \(window.short)" }
    if let single { text += "; one example takes \(single.short)" }
    if let perExample { text += ", \(perExample.short) in a batch" }
    if let goal { text += "; at most \(capacity) requests, for \(goal.short)" }
    return text
  }
}

extension Duration {
  /// The time as `4.1 ms`, `87 µs` or `0.6 µs`.
  var short: String {
    let microseconds = self / .microseconds(1)
    if microseconds < 10 { return "\((microseconds * 10).rounded() / 10) µs" }
    if microseconds < 1000 { return "\(Int(microseconds.rounded())) µs" }
    return "\((microseconds / 100).rounded() / 10) ms"
  }
}
