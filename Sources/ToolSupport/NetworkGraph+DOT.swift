extension NetworkGraph {
  /// The graph in the language of Graphviz.
  package var dot: String {
    func quoted(_ text: String) -> String {
      "\"" + text.printableLines.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    var lines = [
      "digraph \(quoted(title.printable)) {",
      "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];",
    ]
    for (index, node) in nodes.enumerated() {
      let label = quoted("\(node.type)\n\(node.name.printable)\n\(node.shape)").replacing(
        "\n", with: "\\n")
      let colors = NodeColors(node)
      lines.append(
        "  n\(index) [label=\(label), fillcolor=\"\(colors.fill)\", color=\"\(colors.line)\"];")
    }
    for (index, node) in nodes.enumerated() {
      lines += node.inputs.map { "  n\($0) -> n\(index);" }
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }
}

/// The colors of a node.
struct NodeColors {
  let fill: String
  let line: String

  init(_ node: NetworkGraph.Node) {
    (fill, line) =
      switch node.role {
      case .input: ("#e3f1e1", "#3f7f3a")
      case .weighted: ("#dfeaf7", "#34629a")
      case .combining: ("#fbeeda", "#a86b12")
      case .plain: ("#f6f6f6", "#7a7a7a")
      }
  }
}
