import ForgeGraph
import ForgeOperations
import ForgeShapes

/// How the inputs and layers of a network are connected and counted, for tables and drawings.
///
/// A compiled file holds it, too: names and sizes, without what a layer computes.
package struct NetworkOutline: Sendable, Hashable {
  /// An input or a layer.
  package struct Node: Sendable, Hashable {
    /// The name in the network.
    package let name: String
    /// The type as in the column of a summary: `Conv`.
    package let type: String
    /// The shape of its output, unless a mistake prevents it from being known.
    package let shape: Shape?
    /// The nodes that it takes, as indices, each smaller than its own.
    package let inputs: [Int]
    /// Whether it is an input of the network.
    package let isInput: Bool
    /// Whether it is a layer with parameters.
    package let hasParameters: Bool
  }

  /// The inputs and layers, in the order of their creation.
  package let nodes: [Node]
  /// The outputs of the network, as indices of nodes.
  package let outputs: [Int]
  /// The number of values of all parameters, shared ones counted once.
  package let parameterCount: Int
  /// The multiply-adds of one prediction, as far as sizes are known.
  package let multiplyAdds: Int

  /// The number of layers.
  package var layerCount: Int { nodes.count { !$0.isInput } }

  /// Describes a model.
  package init(_ inference: Inference) {
    nodes = inference.nodes.enumerated().map { index, node in
      Node(
        name: node.name, type: node.summaryName, shape: node.shape,
        inputs: node.inputs.filter { $0 < index }, isInput: node.isInput,
        hasParameters: !node.parameters.isEmpty)
    }
    (outputs, parameterCount) = (inference.outputs, inference.parameterCount)
    multiplyAdds = inference.multiplyAdds
  }
}

extension CompiledModel {
  /// How the inputs and layers are connected and counted.
  package var outline: NetworkOutline { facts.outline }

  /// The inputs whose values select rows of a table, with the number of its rows.
  package var indexInputs: [Int: Int] {
    origin.compiler?.graph.indexInputs ?? fixedExecutable?.indexInputs ?? [:]
  }
}

extension NetworkOutline: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(nodes)
    writer.write(outputs)
    writer.write(parameterCount)
    writer.write(multiplyAdds)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    (nodes, outputs) = (try reader.read(), try reader.read())
    (parameterCount, multiplyAdds) = (try reader.read(), try reader.read())
    let count = nodes.count
    guard outputs.allSatisfy({ (0..<count).contains($0) }),
      nodes.indices.allSatisfy({ index in
        nodes[index].inputs.allSatisfy { (0..<index).contains($0) }
      })
    else { throw .damaged }
  }
}

extension NetworkOutline.Node: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(type)
    writer.write(shape)
    writer.write(inputs)
    writer.write(isInput)
    writer.write(hasParameters)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    (name, type) = (try reader.read(), try reader.read())
    (shape, inputs) = (try reader.read(), try reader.read())
    (isInput, hasParameters) = (try reader.read(), try reader.read())
  }
}
