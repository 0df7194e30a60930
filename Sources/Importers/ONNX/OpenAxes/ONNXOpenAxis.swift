import Forge

/// Where an open size, such as the number of examples, stands in a tensor of the file.
///
/// An index along `axis` is `(o·N + n)·inner + i` with `o` below `outer` and `i` below `inner`, so
/// that a batch which a reshape has merged with heads or positions is still known.
struct ONNXOpenAxis: Hashable, Sendable {
  /// The axis of the file.
  var axis: Int
  /// How often the examples are repeated as a whole along the axis.
  var outer = 1
  /// How many neighbors belong to one example.
  var inner = 1

  /// The same place on another axis.
  func on(_ axis: Int) -> ONNXOpenAxis {
    var other = self
    other.axis = axis
    return other
  }
}

/// What a value of the file has to do with an open size.
enum ONNXOpenState: Sendable {
  /// Each example has its own part along an axis, which depends on that example alone.
  case along(ONNXOpenAxis)
  /// Numbers that follow the open size, such as a shape.
  case numbers
  /// It combines examples, because of a node.
  case mixed(ONNXMixture)
}

extension ONNXOpenState {
  /// Whether it is numbers that follow the open size.
  var isNumbers: Bool {
    if case .numbers = self { true } else { false }
  }

  /// The node that combines examples; the output itself, if it follows their number.
  func mixture(of output: String) -> ONNXMixture {
    if case .mixed(let mixture) = self {
      mixture
    } else {
      ONNXMixture(node: output, type: "output")
    }
  }
}

/// The node that combines what an open size counts.
struct ONNXMixture: Error, Hashable, Sendable {
  /// The node's name.
  let node: String
  /// The operator.
  let type: String

  /// The node as messages name it.
  var description: String {
    type == "output" || type == "input" ? "the \(type) \"\(node)\"" : "node \"\(node)\" (\(type))"
  }
}
