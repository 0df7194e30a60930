import ForgeOperations

/// Finds the fastest kernel of each size of convolution by timing plans on this machine.
///
/// Plans as a whole are timed, step by step, and not convolutions alone: weights then come from as
/// far away as they do in a prediction, inputs from where the step before left them, threads from
/// the work before, and poolings are counted where they are done. A plan with the best kernels so
/// far runs in turns with one that has, for every size at once, the next kernel that may be better.
/// So two plans' weights are held at a time.
struct Tuner {
  /// The best kernels so far.
  private(set) var champions: [TuningRecord.Convolution: TuningRecord.Kernel] = [:]
  /// What was compared.
  private(set) var comparisons: [TuningReport.Comparison] = []
  /// See ``TuningReport/predictionSeconds``.
  private(set) var predictionSeconds: (costModel: Double, measured: Double)?

  private let planner: Planner
  private let graph: OperationGraph
  private let entries: [TunableConvolutions.Entry]
  /// The kernels that are still to be compared, by the position of their entry.
  private var waiting: [[TuningRecord.Kernel]]
  /// Whether the widths of panels have been looked at, which comes last.
  private var hasWidths: [Bool]

  /// A kernel must take this share of the best one's time or less to take its place: what is
  /// measured differs by some 2 % from time to time, and the cost model's choice is the same every
  /// time.
  private static let margin = 0.97
  /// It must also be faster in this share of the turns: with seven, in six.
  ///
  /// A machine that is busy with other things makes the least of a few times a matter of luck.
  private static let share = 0.75
  /// The seconds after which no further comparison begins.
  private static let budget = 10.0

  /// Measures the convolutions of a graph whose sizes are known.
  ///
  /// When the time or the memory is used up, it keeps what it has found.
  init(
    measuring planner: Planner, on graph: OperationGraph, _ entries: [TunableConvolutions.Entry]
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
    for entry in entries { champions[entry.convolution] = entry.candidates.best }
    let costModel = champions
    while true {
      let challengers = nextChallengers()
      guard !challengers.isEmpty else { break }
      guard (clock.now - start) / .seconds(1) < Self.budget,
        let results = try compare(challengers)
      else {
        // What was not compared at all is left to the cost model, and the report says so.
        let compared = Set(comparisons.map(\.convolution))
        for index in challengers.keys where !compared.contains(entries[index].convolution) {
          champions[entries[index].convolution] = nil
        }
        break
      }
      for (index, challenger) in challengers.sorted(by: { $0.key < $1.key }) {
        if let result = results[index] { settle(entries[index].convolution, challenger, result) }
      }
    }
    guard planner.options.tuningTimer == nil else { return }
    if entries.contains(where: { isChanged($0, from: costModel) }) {
      try compareWhole(with: costModel)
    }
    planner.constants.drop(except: try plan(champions))
  }

  private func isChanged(
    _ entry: TunableConvolutions.Entry,
    from costModel: [TuningRecord.Convolution: TuningRecord.Kernel]
  ) -> Bool {
    champions[entry.convolution].map { $0 != costModel[entry.convolution] } ?? false
  }

  /// The next kernel of each size that has one; panels of other widths come when the algorithm is
  /// settled.
  private mutating func nextChallengers() -> [Int: TuningRecord.Kernel] {
    var challengers: [Int: TuningRecord.Kernel] = [:]
    for (index, entry) in entries.enumerated() {
      if waiting[index].isEmpty, !hasWidths[index], let champion = champions[entry.convolution] {
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

  /// The times of both kernels of each challenged size; `nil` when the plans cannot be run.
  private func compare(
    _ challengers: [Int: TuningRecord.Kernel]
  ) throws(BackendError) -> [Int: PlanRace.Result]? {
    if let timer = planner.options.tuningTimer {
      var results: [Int: PlanRace.Result] = [:]
      for (index, challenger) in challengers {
        let convolution = entries[index].convolution
        guard let champion = champions[convolution] else { continue }
        results[index] = PlanRace.Result(
          first: timer(convolution, champion), second: timer(convolution, challenger), share: 1)
      }
      return results
    }
    let champion = try plan(champions)
    // What earlier challengers read is let go of before the next one's weights are made.
    planner.constants.drop(except: champion)
    var all = champions
    for (index, challenger) in challengers { all[entries[index].convolution] = challenger }
    let challenger = try plan(all)
    guard let race = PlanRace(champion, challenger, threads: planner.threads) else { return nil }
    var results: [Int: PlanRace.Result] = [:]
    for index in challengers.keys { results[index] = race.result(of: Set(entries[index].nodes)) }
    return results
  }

  /// Goes back to the cost model's choices when the others are slower together.
  ///
  /// A kernel's choice has consequences for other steps: the layouts they find, what is left in the
  /// caches. They must be slower by the least times and in most turns: winners that save a few
  /// parts in a thousand of a prediction are not to be lost to its noise, which is ten times as
  /// large.
  private mutating func compareWhole(
    with costModel: [TuningRecord.Convolution: TuningRecord.Kernel]
  ) throws(BackendError) {
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

  private func plan(
    _ choices: [TuningRecord.Convolution: TuningRecord.Kernel]
  ) throws(BackendError) -> Plan {
    var planner = planner
    planner.tuned = choices
    return try planner.plan(graph)
  }
}
