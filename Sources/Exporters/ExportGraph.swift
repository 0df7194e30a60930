import Forge
import ForgeOperations

/// The graph of a model file while it is written, operation by operation.
protocol ExportGraph {
  /// The format of the file.
  static var format: ExportFormat { get }

  /// The node that makes each value of the network.
  var producers: [Int: OperationGraph.Node] { get }

  /// The sizes of a value of the network.
  func sizes(_ value: OperationGraph.Value) -> [Int]

  /// Begins the operations of a layer.
  ///
  /// - Parameters:
  ///   - name: the name of the layer.
  ///   - result: the value that gets the name.
  mutating func begin(_ name: String, result: OperationGraph.Value?)

  /// Writes an operation, whose operands are written.
  ///
  /// - Throws: ``ExportRefusal`` for what the format does not have.
  mutating func write(_ node: OperationGraph.Node) throws(ExportRefusal)
}

extension ExportGraph {
  /// Writes the operations of a network.
  ///
  /// - Throws: ``ExportError`` with every layer that cannot be written.
  mutating func write(_ network: LoweredNetwork) throws(ExportError) {
    var problems: [Problem] = []
    var refused: Set<Int> = []
    var failed: Set<Int> = []
    let layers = network.inference.nodes.filter { !$0.isInput }
    for state in network.graph.states where refused.insert(state.layer).inserted {
      problems.append(
        Self.format.problem(
          layers[state.layer - 1],
          ExportRefusal(what: "a state that is kept from one prediction to the next")))
    }
    for node in network.graph.nodes {
      let layer = layers[(node.layers.last ?? 1) - 1]
      // What follows a refused operation is not written, and not refused again.
      guard !node.inputs.contains(where: { failed.contains($0.index) }),
        !refused.contains(layer.position)
      else {
        failed.insert(node.output.index)
        continue
      }
      begin(layer.name, result: network.graph.layerOutputs[layer.position])
      do throws(ExportRefusal) {
        try write(node)
      } catch {
        failed.insert(node.output.index)
        if refused.insert(layer.position).inserted {
          problems.append(Self.format.problem(layer, error))
        }
      }
    }
    guard problems.isEmpty else { throw ExportError(problems) }
  }
}
