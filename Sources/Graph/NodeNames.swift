/// The names of nodes: given ones, and generated ones such as `__MaxPool_3__`.
struct NodeNames {
  private var named: [String: Int] = [:]
  private var unnamedInputs = 0

  /// A name, and the earlier node with the same given name.
  struct Name {
    let text: String
    let earlier: Int?
  }

  /// The name of a tensor; `position` counts layers from 1.
  mutating func name(for tensor: Tensor, position: Int) -> Name {
    switch tensor.source {
    case .input(let input):
      if input.name == nil { unnamedInputs += 1 }
      let text = input.name ?? (unnamedInputs == 1 ? "input" : "input\(unnamedInputs)")
      return Name(text: text, earlier: named[text])
    case .layer(let layer):
      guard let text = layer.name else {
        return madeUp(type(of: layer).summaryName, position)
      }
      return Name(text: text, earlier: named[text])
    case .foreign(let name, _):
      return madeUp(name, position)
    }
  }

  private func madeUp(_ type: String, _ position: Int) -> Name {
    let text = "__\(type)_\(position)__"
    // It is taken only if somebody gave a name of this form.
    return Name(text: text, earlier: named[text])
  }

  /// Records the first node of each name.
  mutating func record(_ node: Inference.Node, at index: Int) {
    if named[node.name] == nil { named[node.name] = index }
  }
}
