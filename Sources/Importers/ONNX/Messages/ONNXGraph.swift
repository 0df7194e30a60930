import Forge

/// What is read of a graph, its `GraphProto`: that of a model, or one in an attribute of a node.
struct ONNXGraph: Sendable {
  private(set) var name = ""
  private(set) var docString = ""
  private(set) var nodes: [FileNode] = []
  private(set) var initializers: [ONNXTensor] = []
  /// The sparse initializers, of which only the name and the type are read.
  private(set) var sparseInitializers: [ONNXTensor] = []
  private(set) var inputs: [ONNXValueInfo] = []
  private(set) var outputs: [ONNXValueInfo] = []

  /// A graph without anything.
  init() {}

  init(_ message: WireMessage) throws(ImportError) {
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: nodes.append(try FileNode(try field.message()))
      case 2: name = try field.string()
      case 5: initializers.append(try ONNXTensor(try field.message()))
      case 10: docString = try field.string()
      case 11: inputs.append(try ONNXValueInfo(try field.message()))
      case 12: outputs.append(try ONNXValueInfo(try field.message()))
      case 15: sparseInitializers.append(try Self.sparse(try field.message()))
      default: break
      }
    }
  }

  /// The values of a sparse tensor.
  private static func sparse(_ message: WireMessage) throws(ImportError) -> ONNXTensor {
    var values: ONNXTensor?
    try message.forEachField { field throws(ImportError) in
      guard field.number == 1 else { return }
      guard values == nil else { throw message.file.malformed }
      values = try ONNXTensor(try field.message())
    }
    guard let values else { throw message.file.malformed }
    return values
  }

  /// The number of nodes, inputs and outputs, with those of graphs in nodes.
  ///
  /// A node counts once for each of its results and for four of its operands, because each is a
  /// layer or a part of one.
  var nodeCount: Int { FileNode.count(nodes) + inputs.count + outputs.count }

  /// The number of stored tensors, with those of graphs in nodes.
  var tensorCount: Int {
    nodes.reduce(initializers.count) { $0 + $1.graphs.reduce(0) { $0 + $1.tensorCount } }
  }
}

extension FileNode {
  /// The graphs in the attributes.
  var graphs: [ONNXGraph] {
    attributes.values.compactMap { if case .graph(let graph) = $0 { graph } else { nil } }
  }

  /// How much nodes count for the limit on their number; see ``ONNXGraph/nodeCount``.
  static func count(_ nodes: [FileNode]) -> Int {
    nodes.reduce(0) { sum, node in
      sum + max(node.outputs.count, 1) + node.inputs.count / 4
        + node.graphs.reduce(0) { $0 + $1.nodeCount }
    }
  }
}
