import Forge

extension ONNXFunction {
  /// What a node must have to call a function.
  struct Key: Hashable, Sendable {
    let domain, name, overload: String
  }

  var key: Key { Key(domain: domain, name: name, overload: overload) }
}

extension FileNode {
  /// The function that the node calls, if there is one of that name.
  var key: ONNXFunction.Key { .init(domain: domain, name: type, overload: overload) }
}

/// Functions that the file defines.
extension ONNXGraphImport {
  /// The functions by what calls them, without those of ONNX's own operators that Forge has.
  static func functions(of model: ONNXModel) -> [ONNXFunction.Key: ONNXFunction] {
    let functions = model.functions.filter { function in
      let node = FileNode(function.name, domain: function.domain, outputs: [])
      return !function.domain.isEmpty
        || (ONNXOperators.find(node) == nil && ONNXExpansion.find(node) == nil)
    }
    return Dictionary(functions.map { ($0.key, $0) }) { first, _ in first }
  }

  /// Imports the nodes of a function in place of the node that calls it.
  ///
  /// - Throws: ``ImportError``: `malformed` for a function that calls itself, `tooLarge`;
  ///   ``NodeFailure``.
  mutating func call(
    _ function: ONNXFunction, from node: FileNode, in scope: ONNXScope
  ) throws {
    guard !scope.callers.contains(function.key) else {
      throw ImportError(
        .malformed, "the function \"\(function.name)\" calls itself", path: path,
        received: "node \"\(node.name)\"")
    }
    guard node.inputs.count <= function.inputs.count,
      node.outputs.count <= function.outputs.count
    else {
      throw NodeFailure.invalid(
        "\(node.inputs.count) inputs and \(node.outputs.count) outputs of a function of "
          + "\(function.inputs.count) and \(function.outputs.count)")
    }
    try take(function.nodes)
    var attributes = function.defaults
    for name in Set(function.attributes).union(function.defaults.keys) {
      if let stated = node.attributes[name] { attributes[name] = stated }
    }
    var body = scope.function(
      function, attributes: attributes, prefix: prefix(node, function.name, in: scope))
    for (index, name) in function.inputs.enumerated() {
      body.bind(name, to: index < node.inputs.count ? node.inputs[index] : "")
    }
    try importNodes(function.nodes, keeping: function.outputs, in: &body)
    let results = function.outputs.map { body.unique($0) }
    try set(node, to: results, in: scope)
    release(results)
  }
}
