import ForgeOperations
import ForgeSystem

/// The weights of a convolution whose algorithm is being chosen.
///
/// They are read from their source at most once, on first use, even if several forms are tried.
final class ConvolutionWeights {
  private let value: OperationGraph.Value
  private let bias: OperationGraph.Value?
  private let graph: OperationGraph
  private let recipe: ConstantRecipe
  private let constants: PackedConstants
  private var floats: FloatMemory?

  /// The weights of a node of a graph; `nil` if they are not a constant.
  init?(
    of node: OperationGraph.Node, in graph: OperationGraph, _ constants: PackedConstants
  ) {
    let value = node.inputs[1]
    guard let recipe = graph.constant(value) else { return nil }
    (self.value, self.recipe, self.constants) = (value, recipe, constants)
    (bias, self.graph) = (node.bias, graph)
  }

  /// Packs the weights in a form, unless they are already packed.
  ///
  /// - Returns: `true` if the form is accurate enough for these weights.
  func fit(_ form: some PackedForm) throws -> Bool {
    let memory = try constants.memory(
      value, of: graph, as: form,
      weights: TinyWeights(value, bias: bias, of: graph, constants.source), bias: bias
    ) {
      if let floats { return floats }
      let read = try constants.source.floats(of: recipe)
      floats = read
      return read
    }
    return memory != nil
  }
}
