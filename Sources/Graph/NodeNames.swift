/// The names of nodes: given ones, and generated ones such as `__MaxPool_3__`, after the names of
/// the modules that made them.
struct NodeNames {
  private var named: [String: Int] = [:]
  private var unnamedInputs = 0
  /// The names that were given to layers and inputs.
  private let given: Set<String>

  /// Creates the names of a model's tensors.
  init(_ tensors: [Tensor]) {
    given = Set(
      tensors.compactMap { tensor in
        tensor.givenName.map { tensor.isInput ? $0 : tensor.scopePrefix + $0 }
      })
  }

  /// Whether a given name can be a line of a summary and the start of a parameter's name.
  static func isUsable(_ name: String) -> Bool {
    if name.isEmpty { return false }
    // All line breaks of ASCII are control characters.
    if name.hasOnly({ (0x20..<0x80).contains($0) }) { return true }
    return !name.contains(where: \.isNewline)
  }

  /// The name of a tensor, and the earlier node of that name; `position` counts layers from 1.
  ///
  /// A generated name never equals a given one.
  mutating func name(for tensor: Tensor, position: Int) -> (text: String, earlier: Int?) {
    let text: String
    switch tensor.source {
    case .input(let input):
      if input.name == nil { unnamedInputs += 1 }
      text = input.name ?? (unnamedInputs == 1 ? "input" : "input\(unnamedInputs)")
    case .layer(let layer):
      text =
        tensor.givenName.map { tensor.scopePrefix + $0 }
        ?? generated(tensor.scopePrefix, "\(type(of: layer).summaryName)_\(position)")
    case .foreign(let name, _):
      text = generated(tensor.scopePrefix, "\(name)_\(position)")
    }
    return (text, named[text])
  }

  /// A name of the form `__MaxPool_3__`, or `__MaxPool_3_2__` if that was given.
  private func generated(_ prefix: String, _ text: String) -> String {
    var name = "\(prefix)__\(text)__"
    var number = 2
    while given.contains(name) {
      name = "\(prefix)__\(text)_\(number)__"
      number += 1
    }
    return name
  }

  /// Records the first node of each name.
  mutating func record(_ node: Inference.Node, at index: Int) {
    if named[node.name] == nil { named[node.name] = index }
  }
}

extension Tensor {
  /// The name that was given to the input or the layer, without scopes.
  package var givenName: String? {
    switch source {
    case .input(let input): input.name
    case .layer(let layer): label?.name ?? layer.name
    case .foreign: nil
    }
  }

  /// The names of the modules that made the tensor, each followed by a dot: `stage1.se1.`.
  var scopePrefix: String { scopes.compactMap(\.name).map { $0 + "." }.joined() }
}
