/// Times the steps of two plans of one model in turns.
enum PlanRace {
  /// The least number of turns.
  private static let fewest = 6
  /// The number of turns after which nothing more is learnt.
  private static let most = 400
  /// The seconds that a race lasts unless its fewest turns take longer.
  private static let duration = 0.25

  /// The least seconds of each step of both plans.
  ///
  /// The least, because what else a machine does makes steps longer, never shorter.
  ///
  /// - Returns: the seconds; `nil` when there is no memory for the plans or a custom layer throws.
  static func run(
    _ first: Plan, _ second: Plan, threads: Int
  ) -> (first: [Double], second: [Double])? {
    do {
      let memories = try [first, second].map { plan in
        let memory = try PredictionMemory(plan: plan, batch: 1, threads: threads)
        for index in plan.inputSizes.indices {
          var random = SeededGenerator(seed: UInt64(index + 1))
          let values = memory.input(index)
          for position in values.indices { values[position] = random.nextSymmetric() }
        }
        try memory.run(batch: 1)
        return memory
      }
      var least = memories.map { Array(repeating: Double.infinity, count: $0.plan.stepCount) }
      let clock = ContinuousClock()
      let start = clock.now
      for turn in 0..<most {
        if turn >= fewest, (clock.now - start) / .seconds(1) > duration { break }
        for (index, memory) in memories.enumerated() {
          var seconds = Array(repeating: 0.0, count: memory.plan.stepCount)
          try memory.profile(adding: &seconds)
          for step in seconds.indices {
            least[index][step] = min(least[index][step], seconds[step])
          }
        }
      }
      return (least[0], least[1])
    } catch {
      return nil
    }
  }
}
