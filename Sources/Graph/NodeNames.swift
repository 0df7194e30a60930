/// The names of nodes: given ones, and generated ones such as `__MaxPool_3__`.
struct NodeNames {
  private var named: [String: Int] = [:]
  private var unnamedInputs = 0

  /// The name of a tensor, and the earlier node of that name; `position` counts layers from 1.
  ///
  /// A generated name is taken only if somebody gave a name of its form.
  mutating func name(for tensor: Tensor, position: Int) -> (text: String, earlier: Int?) {
    let text: String
    switch tensor.source {
    case .input(let input):
      if input.name == nil { unnamedInputs += 1 }
      text = input.name ?? (unnamedInputs == 1 ? "input" : "input\(unnamedInputs)")
    case .layer(let layer):
      text = layer.name ?? "__\(type(of: layer).summaryName)_\(position)__"
    case .foreign(let name, _):
      text = "__\(name)_\(position)__"
    }
    return (text, named[text])
  }

  /// Records the first node of each name.
  mutating func record(_ node: Inference.Node, at index: Int) {
    if named[node.name] == nil { named[node.name] = index }
  }
}
