import ForgeOperations
import ForgeShapes

/// The step times of two plans of one model that were run alternately.
struct PlanRace {
  private let plans: [Plan]
  /// The seconds of each step, by plan and turn.
  private let turns: [[[Double]]]

  /// The minimum number of turns.
  private static let fewest = 7
  /// The maximum number of turns.
  private static let most = 400
  /// The seconds after which a race ends, if it has the minimum number of turns.
  private static let duration = 0.25

  /// Runs both plans on seeded random inputs; `nil` if memory is insufficient, a custom layer
  /// throws, or the compile is canceled.
  init?(_ first: Plan, _ second: Plan, threads: Int) {
    plans = [first, second]
    do {
      let memories = try plans.map { plan in
        let memory = try PredictionMemory(plan, batch: 1, threads: threads)
        memory.fillInputs()
        try memory.run(batch: 1)
        memory.state.reset()
        return memory
      }
      var turns: [[[Double]]] = [[], []]
      let clock = ContinuousClock()
      let start = clock.now
      for turn in 0..<Self.most {
        if CompileWatch.isCancelled { return nil }
        if turn >= Self.fewest, (clock.now - start) / .seconds(1) > Self.duration { break }
        // The plans take turns at running first.
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

  /// The times of a subset of the steps.
  struct Result {
    /// The seconds of the first and the second plan.
    var first, second: Double
    /// The fraction of turns in which the second plan was faster.
    var share: Double
  }

  /// Returns the result for the steps of the given nodes; by default for all steps.
  ///
  /// Each step counts with its minimum time, because other load on the machine only makes it
  /// longer.
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
