import Forge

/// How many channels lie side by side in the weights that ONNX Runtime has rearranged.
///
/// At its highest level the optimizer writes operators for the machine that it runs on: channels in
/// blocks of 8, or of 16 with AVX-512. The file does not state which. It follows from the numbers
/// of channels that had to be rounded up, or not.
enum ONNXChannelBlocks {
  /// The domain of the operators.
  static let domain = "com.microsoft.nchwc"

  private static let sizes = [8, 16]

  /// The operators that keep the number of channels of their first input.
  private static let keeping: Set<String> = [
    "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Upsample", "Add", "Relu",
    "Sigmoid", "Tanh", "Mul", "Sum", "BatchNormalization",
  ]

  /// The size of a graph's blocks; `nil` if there are none or the graph leaves it open.
  static func size(of graph: ONNXGraph) -> Int? {
    guard graph.nodes.contains(where: { $0.domain == domain }) else { return nil }
    let stored = graph.initializers.map { ($0.name, $0.sizes.map { Int($0) }) }
    return size(graph.nodes, stored: Dictionary(stored) { first, _ in first })
  }

  /// The size of the blocks of some nodes; `nil` if they leave it open.
  ///
  /// - Parameters:
  ///   - nodes: the nodes of the graph.
  ///   - stored: the sizes of its stored tensors by name.
  /// - Returns: the size.
  private static func size(_ nodes: [FileNode], stored: [String: [Int]]) -> Int? {
    var open = sizes
    var makers: [String: FileNode] = [:]
    for node in nodes {
      for output in node.outputs { makers[output] = node }
      guard node.domain == domain else { continue }
      if node.type == "Conv", let outputs = outputs(node, stored) {
        open.removeAll { !outputs.isMultiple(of: $0) }
      }
      guard node.type == "ReorderOutput", let name = node.inputs.first,
        let padded = channels(of: name, makers, stored)
      else { continue }
      let channels = node.int("channels")
      open.removeAll { channels < 1 || rounded(channels, $0) != padded }
    }
    return open.count == 1 ? open[0] : nil
  }

  /// A number of channels rounded up to whole blocks.
  static func rounded(_ channels: Int, _ block: Int) -> Int {
    ((channels - 1) / block + 1).multipliedSaturated(by: block)
  }

  private static func outputs(_ node: FileNode, _ stored: [String: [Int]]) -> Int? {
    node.inputs.count > 1 ? stored[node.inputs[1]]?.first : nil
  }

  /// The number of channels of a value, if a convolution has made them.
  private static func channels(
    of name: String, _ makers: [String: FileNode], _ stored: [String: [Int]]
  ) -> Int? {
    var name = name
    // A chain of nodes is at most as long as there are nodes.
    for _ in 0..<makers.count {
      guard let maker = makers[name] else { return nil }
      if maker.domain == domain, maker.type == "Conv" { return outputs(maker, stored) }
      guard keeping.contains(maker.type), let before = maker.inputs.first else { return nil }
      name = before
    }
    return nil
  }
}
