import Forge

/// The nodes and edges of a network, ready to be drawn.
package struct NetworkGraph: Sendable {
  /// What a node is, which decides its color.
  package enum Role: Hashable, Sendable {
    /// An input of the network.
    case input
    /// A layer with parameters.
    case weighted
    /// A layer that takes several tensors.
    case combining
    /// Any other layer.
    case plain
  }

  /// One node.
  package struct Node: Sendable {
    /// The name in the network.
    package let name: String
    /// The type: `Conv`.
    package let type: String
    /// The shape of its output: `112×112×64`.
    package let shape: String
    /// What it is.
    package let role: Role
    /// Whether it is an output of the network.
    package let isOutput: Bool
    /// The nodes it takes, by index, each smaller than its own.
    package let inputs: [Int]

    /// Creates a node.
    package init(
      name: String, type: String, shape: String = "", role: Role = .plain, isOutput: Bool = false,
      inputs: [Int] = []
    ) {
      self.name = name
      self.type = type
      self.shape = shape
      self.role = role
      self.isOutput = isOutput
      self.inputs = inputs
    }
  }

  /// The nodes; each follows those it takes.
  package let nodes: [Node]
  /// The name of the network.
  package let title: String

  /// Creates a graph.
  package init(nodes: [Node], title: String) {
    self.nodes = nodes
    self.title = title
  }

  /// The graph of a network.
  package init(_ outline: NetworkOutline, title: String) {
    let outputs = Set(outline.outputs)
    self.init(
      nodes: outline.nodes.enumerated().map { index, node in
        Node(
          name: node.name, type: node.type, shape: node.shape.map(Self.text) ?? "?",
          role: node.isInput
            ? .input : node.hasParameters ? .weighted : node.inputs.count > 1 ? .combining : .plain,
          isOutput: outputs.contains(index), inputs: node.inputs)
      }, title: title)
  }

  /// The graph of a model.
  package init(_ model: Model, title: String) {
    self.init(NetworkOutline(Inference(model)), title: title)
  }

  /// The sizes of a shape; those of an image in the order width, height, channels.
  static func text(_ shape: Shape) -> String {
    let sizes =
      shape.isImage
      ? [shape.dimensions[1], shape.dimensions[0], shape.dimensions[2]] : shape.dimensions
    return sizes.map { $0.map(String.init) ?? "?" }.joined(separator: "×")
  }
}
