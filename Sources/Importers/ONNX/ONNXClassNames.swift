import Forge

/// Follows the names of classes through a graph, and the texts for which numbers stand.
///
/// A network has no texts. A list of texts that the file stores becomes the places 0, 1, 2 and so
/// on, and a label that is a text becomes its place among the names of the classes. Only operators
/// that move elements take such places; all others would read a text.
struct ONNXClassNames {
  /// The names by the value that they belong to.
  private var names: [String: [String]] = [:]
  /// The values that are places of texts among their names.
  private var texts: Set<String> = []

  /// Operators that move the elements of their first input.
  private static let movements: Set = [
    "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Gather", "ArrayFeatureExtractor",
  ]
  /// Operators behind which the classes are the same.
  private static let sameClasses: Set = [
    "Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Normalizer", "Softmax",
  ]

  /// The number of ONNX's type of texts.
  private static let textType = 8

  /// The places that stand for a stored list of texts; `nil` for other tensors.
  ///
  /// - Parameters:
  ///   - stored: the list.
  ///   - name: the name of the value.
  /// - Returns: the places.
  mutating func add(_ stored: ONNXTensor, as name: String) -> HostTensor? {
    let sizes = stored.sizes.map { Int($0) }
    guard stored.type == Self.textType, Shape.product(of: sizes) == stored.strings.count,
      !stored.strings.isEmpty
    else { return nil }
    names[name] = stored.strings
    texts.insert(name)
    return HostTensor(integers: stored.strings.indices.map { Int64($0) }, sizes: sizes)
  }

  /// Whether a value stands for texts.
  func isText(_ name: String) -> Bool { texts.contains(name) }

  /// Refuses a node that would read texts.
  func check(_ node: FileNode) throws(NodeFailure) {
    for (index, name) in node.inputs.enumerated() where texts.contains(name) {
      guard index == 0, Self.movements.contains(node.type) else {
        throw NodeFailure.unsupported("texts")
      }
    }
  }

  /// Takes over what a node says of its results.
  mutating func follow(_ call: ONNXCall) {
    let outputs = call.node.outputs
    guard let first = outputs.first, !first.isEmpty else { return }
    if let name = call.node.inputs.first, texts.contains(name) {
      texts.insert(first)
      names[first] = names[name]
    } else if let classNames = call.classNames {
      for name in outputs where !name.isEmpty { names[name] = classNames }
      if call.isText { texts.insert(first) }
    } else if let name = call.node.inputs.first, Self.sameClasses.contains(call.node.type) {
      names[first] = names[name]
    }
  }

  /// The names of the classes of a model: of the first output with as many numbers, or else of any.
  func labels(of outputs: [ImportedModel.Port]) -> [String]? {
    let named = outputs.filter { names[$0.name] != nil }
    let probabilities = named.first { $0.sizes.last == names[$0.name]?.count }
    return (probabilities ?? named.first).flatMap { names[$0.name] }
  }

  /// An output of texts.
  static func refusal(of output: String) -> UnsupportedNode {
    UnsupportedNode(type: "output", detail: "texts", name: output)
  }
}
