import ForgeOperations
import ForgeShapes

/// The time and work of one step of a prediction.
public struct StepProfile: Sendable {
  /// The kernel.
  public let kernel: String
  /// The names of the layers it computes.
  public let layers: [String]
  /// Seconds per prediction, the mean over all runs.
  public let seconds: Double
  /// The multiply-adds of one prediction.
  public let multiplyAdds: Int
  /// The bytes of tensors and parameters that are read and written, each counted once.
  public let bytes: Int

  /// Billions of multiplications and additions per second.
  public var gigaflops: Double { seconds > 0 ? 2e-9 * Double(multiplyAdds) / seconds : 0 }
  /// Billions of bytes per second.
  public var gigabytesPerSecond: Double { seconds > 0 ? 1e-9 * Double(bytes) / seconds : 0 }
}

extension CompiledModel {
  /// Times each step of the plan over a number of predictions of one example of seeded random
  /// numbers, each with states of zero.
  ///
  /// The time of a step includes that of reading the clock.
  ///
  /// - Parameters:
  ///   - runs: how many predictions are timed, at least one, after two warm-up runs.
  ///   - inputShapes: the sizes of inputs that take any, by name.
  /// - Returns: the steps in order.
  /// - Throws: ``PredictionError`` when a size is missing or does not fit, there is not enough
  ///   memory, a custom layer throws, or a check fails.
  public func profile(
    runs: Int = 20, inputShapes: [String: Shape] = [:]
  ) throws(PredictionError) -> [StepProfile] {
    let executable = try executable(for: try shapes(named: inputShapes))
    return try withMemory { reusable throws(PredictionError) in
      let memory = try self.memory(executable, in: reusable)
      memory.resetCrops()
      memory.fillInputs()
      for _ in 0..<2 {
        memory.state.reset()
        try self.run(memory, batch: 1)
      }
      memory.state.reset()
      var seconds = Array(repeating: 0.0, count: executable.steps.count)
      for _ in 0..<max(runs, 1) {
        do throws(LayerFailure) {
          try memory.runner.profile(adding: &seconds)
        } catch {
          throw self.predictionError(error, of: executable)
        }
      }
      let facts = self.facts(of: executable)
      return zip(executable.steps, seconds).map { step, seconds in
        StepProfile(
          kernel: step.kernel,
          layers: facts.layerNames(step.layers),
          seconds: seconds / Double(max(runs, 1)), multiplyAdds: step.multiplyAdds,
          bytes: step.bytes)
      }
    }
  }
}
