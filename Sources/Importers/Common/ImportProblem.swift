import Forge

/// Something in a model file that Forge cannot import, collected so that all are reported at once.
package struct UnsupportedNode: Hashable, Sendable {
  /// The operator or layer type as the file names it: `Einsum`, `keras.layers.Lambda`.
  package let type: String
  /// The attribute or condition, or `nil` if the whole operator is missing: `mode "wrap"`.
  package let detail: String?
  /// The name of the node.
  package let name: String

  /// Creates a description of an unsupported node.
  package init(type: String, detail: String?, name: String) {
    self.type = type
    self.detail = detail
    self.name = name
  }
}

extension ForgeError where ErrorKind == ImportErrorKind {
  /// The error that lists everything unsupported in a file: one line per operator and attribute
  /// with the number of nodes and the names of the first three.
  package static func unsupported(_ nodes: [UnsupportedNode], path: String?) -> ImportError {
    var names: [String: [String]] = [:]
    var order: [String] = []
    for node in nodes {
      let group = node.detail.map { "\(node.type) with \($0)" } ?? node.type
      if names[group] == nil { order.append(group) }
      names[group, default: []].append(node.name)
    }
    let lines = order.map { group in
      let names = names[group] ?? []
      let shown = names.prefix(3).map { "\"\($0.printable)\"" }.joined(separator: ", ")
      let more = names.count > 3 ? ", …" : ""
      return "\(group.printable): \(counted(names.count, "node")) (\(shown)\(more))"
    }
    return ImportError(
      .unsupported, "the model uses features that Forge does not support", path: path,
      received: lines.joined(separator: "\n"))
  }
}
