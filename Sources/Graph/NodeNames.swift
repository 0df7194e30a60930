/// Names of nodes: those given, and made-up ones such as `__MaxPool_3__`.
struct NodeNames {
  private var named: [String: Int] = [:]
  private var inputCount = 0

  /// A name, and the earlier node that has it, when it was given before.
  struct Name {
    let text: String
    let earlier: Int?
  }

  /// The name of a tensor; `position` counts layers from 1.
  mutating func name(for tensor: Tensor, position: Int) -> Name {
    switch tensor.source {
    case .input(let input):
      inputCount += 1
      let text = input.name ?? (inputCount == 1 ? "input" : "input\(inputCount)")
      return Name(text: text, earlier: named[text])
    case .layer(let layer):
      guard let text = layer.name else {
        return Name(text: "__\(type(of: layer).summaryName)_\(position)__", earlier: nil)
      }
      return Name(text: text, earlier: named[text])
    case .foreign(let name):
      return Name(text: "__\(name)_\(position)__", earlier: nil)
    }
  }

  /// Remembers the first node of each name.
  mutating func record(_ node: Inference.Node, at index: Int) {
    if named[node.name] == nil { named[node.name] = index }
  }
}
