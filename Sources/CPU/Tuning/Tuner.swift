import ForgeOperations

/// Finds the fastest kernel for each convolution size by timing plans on this machine.
///
/// The tuner times whole plans, step by step, because the state of caches and threads and fused
/// poolings affect the time of a step. The plan with the best kernels so far runs alternately with
/// a plan that has the next challenger for every size. The weights of at most two plans are held at
/// a time.
struct Tuner {
  /// The best kernel of each size so far.
  private(set) var champions: TunedKernels = [:]
  /// The comparisons so far.
  private(set) var comparisons: [TuningReport.Comparison] = []
  /// See ``TuningReport/predictionSeconds``.
  private(set) var predictionSeconds: (costModel: Double, measured: Double)?

  private let planner: Planner
  private let graph: OperationGraph
  private let entries: [TunableConvolution]
  /// The kernels that remain to be compared, by the position of their entry.
  private var waiting: [[TuningRecord.Kernel]]
  /// Whether other panel widths have been queued, by the position of the entry; they are compared
  /// last.
  private var hasWidths: [Bool]

  /// A challenger must take less than this fraction of the champion's time.
  ///
  /// The margin exceeds the noise of measurements, so equal kernels keep the cost model's
  /// reproducible choice.
  private static let margin = 0.97
  /// A challenger must also be faster in at least this fraction of the turns.
  ///
  /// On a busy machine, the minimum over few turns depends on chance.
  private static let share = 0.75
  /// The seconds after which no further comparison begins.
  private static let budget = 10.0

  /// Measures the convolutions of a graph whose sizes are known.
  ///
  /// If time or memory runs out, the tuner keeps the results so far.
  init(
    measuring planner: Planner, on graph: OperationGraph, _ entries: [TunableConvolution]
  ) throws(BackendError) {
    self.planner = planner
    self.graph = graph
    self.entries = entries
    waiting = entries.map(\.candidates.challengers)
    hasWidths = entries.map { _ in false }
    try run()
  }

  private mutating func run() throws(BackendError) {
    let clock = ContinuousClock()
    let start = clock.now
    for entry in entries { champions[entry.sizes] = entry.candidates.best }
    let costModel = champions
    defer { CompileWatch.report(.measure, 1) }
    while true {
      let challengers = nextChallengers()
      guard !challengers.isEmpty else { break }
      let fraction = (clock.now - start) / .seconds(1) / Self.budget
      CompileWatch.report(.measure, fraction)
      let compared = fraction < 1 ? try compare(challengers) : nil
      if CompileWatch.isCancelled { throw .cancelled }
      guard let results = compared else {
        // Sizes without any comparison fall back to the cost model, and the report lists them.
        let compared = Set(comparisons.map(\.convolution))
        for index in challengers.keys where !compared.contains(entries[index].sizes) {
          champions[entries[index].sizes] = nil
        }
        break
      }
      for (index, challenger) in challengers.sorted(by: { $0.key < $1.key }) {
        if let result = results[index] { settle(entries[index].sizes, challenger, result) }
      }
    }
    guard planner.options.tuningTimer == nil else { return }
    let isChanged = champions.contains { costModel[$0.key] != $0.value }
    if isChanged { try compareWhole(with: costModel) }
    if CompileWatch.isCancelled { throw .cancelled }
    planner.constants.drop(except: try plan(champions))
  }

  /// Returns the next challenger of each size that has one; other panel widths follow once the
  /// algorithm is settled.
  private mutating func nextChallengers() -> [Int: TuningRecord.Kernel] {
    var challengers: [Int: TuningRecord.Kernel] = [:]
    for (index, entry) in entries.enumerated() {
      if waiting[index].isEmpty, !hasWidths[index], let champion = champions[entry.sizes] {
        hasWidths[index] = true
        waiting[index] = entry.candidates.otherWidths(of: champion)
      }
      if !waiting[index].isEmpty { challengers[index] = waiting[index].removeFirst() }
    }
    return challengers
  }

  private mutating func settle(
    _ convolution: TuningRecord.Convolution, _ challenger: TuningRecord.Kernel,
    _ result: PlanRace.Result
  ) {
    guard let champion = champions[convolution] else { return }
    let isWon =
      result.second < Self.margin * result.first && result.share >= Self.share
    comparisons.append(
      TuningReport.Comparison(
        convolution: convolution, champion: (champion, result.first),
        challenger: (challenger, result.second), isWon: isWon))
    if isWon { champions[convolution] = challenger }
  }

  /// Returns the times of both kernels for each challenged size; `nil` if the plans cannot run.
  private func compare(
    _ challengers: [Int: TuningRecord.Kernel]
  ) throws(BackendError) -> [Int: PlanRace.Result]? {
    if let timer = planner.options.tuningTimer {
      var results: [Int: PlanRace.Result] = [:]
      for (index, challenger) in challengers {
        let convolution = entries[index].sizes
        guard let champion = champions[convolution] else { continue }
        results[index] = PlanRace.Result(
          first: timer(convolution, champion), second: timer(convolution, challenger), share: 1)
      }
      return results
    }
    let champion = try plan(champions)
    // Releases the weights of earlier challengers before those of the next one are packed.
    planner.constants.drop(except: champion)
    var all = champions
    for (index, challenger) in challengers { all[entries[index].sizes] = challenger }
    let challenger = try plan(all)
    guard let race = PlanRace(champion, challenger, threads: planner.threads) else { return nil }
    var results: [Int: PlanRace.Result] = [:]
    for index in challengers.keys { results[index] = race.result(of: entries[index].nodes) }
    return results
  }

  /// Reverts to the cost model's choices if the measured kernels are slower together.
  ///
  /// A kernel also affects other steps through layouts and caches. The choices are reverted only if
  /// both the minimum times and most turns are slower: the gain of a kernel can be smaller than the
  /// noise of a whole prediction.
  private mutating func compareWhole(with costModel: TunedKernels) throws(BackendError) {
    let measured = try plan(champions)
    planner.constants.drop(except: measured)
    let other = try plan(costModel)
    guard let race = PlanRace(other, measured, threads: planner.threads) else { return }
    let result = race.result()
    predictionSeconds = (costModel: result.first, measured: result.second)
    if result.second >= result.first, result.share < 0.5 {
      for (convolution, choice) in costModel where champions[convolution] != nil {
        champions[convolution] = choice
      }
    }
  }

  private func plan(_ choices: TunedKernels) throws(BackendError) -> Plan {
    var planner = planner
    planner.tuned = choices
    return try planner.plan(graph)
  }
}
