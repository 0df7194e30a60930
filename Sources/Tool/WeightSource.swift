import ArgumentParser
import Forge

/// Compiles an architecture with the weights of a file.
enum WeightSource {
  /// The model with the weights at a path, its own without, seeded random ones where it has none.
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
