import ForgeGraph
import ForgeOperations

/// The names by which a ``QuantizationTable`` knows the tensors of a graph of real numbers.
///
/// A tensor has the name of its input, or of the last layer that its node computes. Further tensors
/// of a layer have `/1`, `/2`, … behind the name; products with weights are named first.
struct TensorNames {
  /// The name of each tensor, by the index of its value.
  let names: [Int: String]
  /// The tensor of each name.
  let values: [String: OperationGraph.Value]

  init(_ graph: OperationGraph, _ inference: Inference) {
    var names: [Int: String] = [:]
    var values: [String: OperationGraph.Value] = [:]
    var counts: [String: Int] = [:]
    func add(_ value: OperationGraph.Value, _ name: String) {
      var unique = name
      // A layer may be called like the second tensor of another one.
      repeat {
        let count = counts[name, default: 0]
        unique = count == 0 ? name : "\(name)/\(count)"
        counts[name] = count + 1
      } while values[unique] != nil
      names[value.index] = unique
      values[unique] = value
    }
    for (value, input) in zip(graph.modelInputs, inference.inputs) {
      add(value, inference.nodes[input].name)
    }
    let layers = inference.layerNames
    let products = graph.nodes.filter { $0.primitive.traits.packsOperands }
    for node in products + graph.nodes where names[node.output.index] == nil {
      if let name = node.layers.last.flatMap({ layers[$0] }) { add(node.output, name) }
    }
    (self.names, self.values) = (names, values)
  }

  /// The values of names.
  ///
  /// - Throws: ``CompileError`` with the names that the graph does not have.
  func values(of wanted: some Sequence<String>) throws(CompileError) -> [OperationGraph.Value] {
    let unknown = wanted.filter { values[$0] == nil }.sorted()
    guard unknown.isEmpty else {
      throw CompileError([
        .unknownNames(
          "there are no such tensors to quantize", unknown, known: values.keys.sorted())
      ])
    }
    return wanted.compactMap { values[$0] }
  }

  /// Makes tensors outputs of the graph, behind its own and before the states.
  func addOutputs(_ wanted: [String], to graph: inout OperationGraph) throws(CompileError) {
    let states = graph.outputs.suffix(graph.states.count)
    graph.outputs.removeLast(states.count)
    graph.outputs += try values(of: wanted)
    graph.outputs += states
  }
}
