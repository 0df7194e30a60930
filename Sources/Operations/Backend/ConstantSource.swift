import ForgeSystem

/// The values of a graph's constants, still in their source.
package protocol ConstantSource: Sendable {
  /// The memory that reading and packing takes.
  var loading: LoadingMemory { get }
  /// The threads that may read and pack large constants.
  var threads: Int { get }

  /// The values of a constant in Forge's layout.
  ///
  /// - Throws: `NoMemory`, and what the source throws.
  func floats(of recipe: ConstantRecipe) throws -> FloatMemory
}

extension ConstantSource {
  /// The values of a constant as an array.
  ///
  /// - Throws: `NoMemory`, and what the source throws.
  package func values(of recipe: ConstantRecipe) throws -> [Float] {
    let memory = try floats(of: recipe)
    try MemoryProbe.check(byteCount: memory.floats.count * MemoryLayout<Float>.stride)
    return withExtendedLifetime(memory) { Array(memory.floats) }
  }
}
