import ForgeOperations
import ForgeSystem

/// The weights of a convolution whose algorithm is being chosen.
///
/// They are read from their source at most once, on first use, even if several forms are tried.
final class ConvolutionWeights {
  private let value: OperationGraph.Value
  private let recipe: ConstantRecipe
  private let constants: PackedConstants
  private var floats: FloatMemory?

  /// The weights that a graph value holds; `nil` if the value is not a constant.
  init?(_ value: OperationGraph.Value, of graph: OperationGraph, _ constants: PackedConstants) {
    guard let recipe = graph.constant(value) else { return nil }
    (self.value, self.recipe, self.constants) = (value, recipe, constants)
  }

  /// Packs the weights in a form, unless they are already packed.
  ///
  /// - Returns: `true` if the form is accurate enough for these weights.
  func fit(_ form: some PackedForm) throws -> Bool {
    let memory = try constants.memory(value, as: form) {
      if let floats { return floats }
      let read = try constants.source.floats(of: recipe)
      floats = read
      return read
    }
    return memory != nil
  }
}
