import ForgeOperations
import ForgeSystem

/// The weights of a convolution that an algorithm is being chosen for.
///
/// They are read from their source when they are first asked for, and once, however many forms are
/// tried.
final class ConvolutionWeights {
  private let value: OperationGraph.Value
  private let recipe: ConstantRecipe
  private let constants: PackedConstants
  private var floats: FloatMemory?

  /// The weights that a value of a graph stands for; `nil` where it is no constant.
  init?(_ value: OperationGraph.Value, of graph: OperationGraph, _ constants: PackedConstants) {
    guard let recipe = graph.constant(value) else { return nil }
    (self.value, self.recipe, self.constants) = (value, recipe, constants)
  }

  /// Packs the weights, unless they are packed already.
  ///
  /// - Returns: whether the form holds them as exactly as it should.
  func fit(_ form: some PackedForm) throws -> Bool {
    let memory = try constants.fittingMemory(value, as: form) {
      if let floats { return floats }
      let read = try constants.floats(of: recipe)
      floats = read
      return read
    }
    return memory != nil
  }
}
