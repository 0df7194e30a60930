import Forge

/// Finds inputs that hold images with their channels last.
///
/// ONNX states channels first. Files converted from TensorFlow take images with channels last and
/// transpose them before the first convolution.
struct ONNXInputLayout {
  /// The nodes that read each value.
  private var readers: [String: [FileNode]] = [:]

  init(_ graph: ONNXGraph) {
    for node in graph.nodes {
      for name in node.inputs { readers[name, default: []].append(node) }
    }
  }

  /// The layout of an input's tensor: that in which the first transposition copies nothing.
  func layout(of name: String, sizes: [Int]) -> [Int?] {
    guard sizes.count == 4, isTransposed(name) else { return FileTensor.usualLayout(sizes) }
    return sizes[0] == 1 ? [1, 2, 3] : [0, 1, 2, 3]
  }

  /// Whether channels are moved first, behind operators of single elements at most.
  private func isTransposed(_ name: String) -> Bool {
    var name = name
    var seen: Set<String> = []
    while seen.insert(name).inserted, let next = readers[name], next.count == 1,
      let output = next[0].outputs.first
    {
      if next[0].type == "Transpose" { return next[0].ints("perm") == [0, 3, 1, 2] }
      guard Self.elementwise.contains(next[0].type) else { return false }
      name = output
    }
    return false
  }

  private static let elementwise: Set = [
    "Add", "Sub", "Mul", "Div", "Cast", "Identity", "Clip", "Relu", "Neg",
  ]
}
