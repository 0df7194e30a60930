import ForgeSystem

/// The source of a graph's constants.
package protocol ConstantSource: Sendable {
  /// The memory used by reading and packing.
  var loading: LoadingMemory { get }
  /// The number of threads that may read and pack large constants.
  var threads: Int { get }

  /// Returns the values of a constant in Forge's layout.
  ///
  /// - Throws: `NoMemory` and errors of the source.
  func floats(of recipe: ConstantRecipe) throws -> FloatMemory

  /// Returns the first parameter whose values are those of the parameter at an index, because both
  /// are one tensor of a file.
  func original(of parameter: Int) -> Int

  /// Returns the parameter of the network for the largest sizes that has the same values; `nil` if
  /// none has, or if this is that network.
  func counterpart(of parameter: Int) -> Int?
}

extension ConstantSource {
  /// Returns the values of a constant as an array.
  ///
  /// - Throws: `NoMemory` and errors of the source.
  package func values(of recipe: ConstantRecipe) throws -> [Float] {
    let memory = try floats(of: recipe)
    try MemoryProbe.check(byteCount: memory.floats.count * MemoryLayout<Float>.stride)
    return withExtendedLifetime(memory) { Array(memory.floats) }
  }
}
