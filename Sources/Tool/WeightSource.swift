import ArgumentParser
import Forge

/// Compiles an architecture with the weights of a file.
enum WeightSource {
  /// The model with the weights at a path, found by its ending, or with seeded random ones.
  static func compile(
    _ model: Model, weights: String?, options: CompileOptions = CompileOptions()
  ) throws
    -> CompiledModel
  {
    guard let weights else {
      return try model.compile(parameters: RandomParameters(seed: 1), options: options)
    }
    if weights.hasSuffix(".safetensors") {
      return try model.compile(parameters: SafeTensorsParameters(weights), options: options)
    }
    if weights.hasSuffix(".npz") {
      return try model.compile(parameters: NumPyParameters(weights), options: options)
    }
    #if HDF5
      return try model.compile(parameters: HDF5Parameters(weights), options: options)
    #else
      throw ValidationError("this build of forge reads no HDF5 files: its trait HDF5 is off")
    #endif
  }
}
