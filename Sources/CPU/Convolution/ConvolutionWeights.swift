import ForgeOperations
import ForgeSystem

/// The weights of a convolution whose algorithm is being chosen.
///
/// They are read from their source at most once, on first use, even if several forms are tried.
final class ConvolutionWeights {
  private let node: OperationGraph.Node
  private let graph: OperationGraph
  private let recipe: ConstantRecipe
  private let constants: PackedConstants
  private var floats: FloatMemory?

  /// The weights of a node of a graph; `nil` if they are not a constant.
  init?(
    of node: OperationGraph.Node, in graph: OperationGraph, _ constants: PackedConstants
  ) {
    guard let recipe = graph.constant(node.inputs[1]) else { return nil }
    (self.node, self.graph) = (node, graph)
    (self.recipe, self.constants) = (recipe, constants)
  }

  /// Packs the weights in a form, unless they are already packed.
  ///
  /// - Returns: `true` if the form is accurate enough for these weights.
  func fit(_ form: some PackedForm) throws -> Bool {
    let memory = try constants.memory(
      node.inputs[1], of: graph, as: form,
      weights: TinyWeights(of: node, in: graph, constants.source), bias: node.bias
    ) {
      if let floats { return floats }
      let read = try constants.source.floats(of: recipe)
      floats = read
      return read
    }
    return memory != nil
  }
}
