import ArgumentParser
import Forge

/// Compiles an architecture with the weights of a file.
enum WeightSource {
  /// Compiles the model with the weights at a path, else with its own, else with seeded random
  /// ones.
  static func compile(
    _ model: Model, weights: String?, options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    if let weights {
      return try model.compile(parameters: WeightFile(weights).parameters(), options: options)
    }
    if model.parameters != nil { return try model.compile(options: options) }
    return try model.compile(parameters: RandomParameters(seed: 1), options: options)
  }
}
