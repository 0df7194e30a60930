import ForgeOperations
import ForgeShapes

/// The times of two plans of one model that were run in turns, step by step.
struct PlanRace {
  private let plans: [Plan]
  /// The seconds of each step, by plan and turn.
  private let turns: [[[Double]]]

  /// The least number of turns.
  private static let fewest = 7
  /// The number of turns after which nothing more is learnt.
  private static let most = 400
  /// The seconds that a race lasts unless its fewest turns take longer.
  private static let duration = 0.25

  /// Runs both on seeded random inputs; `nil` when there is no memory for them or a custom layer
  /// throws.
  init?(_ first: Plan, _ second: Plan, threads: Int) {
    plans = [first, second]
    do {
      let memories = try plans.map { plan in
        let memory = try PredictionMemory(plan, batch: 1, threads: threads)
        memory.fillInputs()
        try memory.run(batch: 1)
        return memory
      }
      var turns: [[[Double]]] = [[], []]
      let clock = ContinuousClock()
      let start = clock.now
      for turn in 0..<Self.most {
        if turn >= Self.fewest, (clock.now - start) / .seconds(1) > Self.duration { break }
        // Either is the first as often as the other.
        for index in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] {
          var seconds = Array(repeating: 0.0, count: plans[index].steps.count)
          try memories[index].runner.profile(adding: &seconds)
          turns[index].append(seconds)
        }
      }
      self.turns = turns
    } catch {
      return nil
    }
  }

  /// What came out for some of the steps.
  struct Result {
    /// The seconds of the first and the second plan.
    var first, second: Double
    /// The share of the turns in which the second took less time.
    var share: Double
  }

  /// The result for the steps of some nodes, or of all.
  ///
  /// Each step counts with its least time, because what else a machine does makes it longer, never
  /// shorter.
  func result(of nodes: Set<Int>? = nil) -> Result {
    let steps = plans.map { plan in
      plan.steps.indices.filter { nodes?.contains(plan.steps[$0].node) ?? true }
    }
    let least = zip(turns, steps).map { turns, steps in
      steps.reduce(0) { sum, step in sum + (turns.map { $0[step] }.min() ?? 0) }
    }
    let sums = zip(turns, steps).map { turns, steps in
      turns.map { seconds in steps.reduce(0) { $0 + seconds[$1] } }
    }
    let faster = zip(sums[0], sums[1]).count { $0 > $1 }
    return Result(
      first: least[0], second: least[1], share: Double(faster) / Double(max(sums[0].count, 1)))
  }
}
