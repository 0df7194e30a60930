import Forge

/// Who reads the values of an import.
struct ONNXUses {
  /// How many nodes still read a value; outputs are read once more.
  private var readers: [String: Int] = [:]
  /// The values that casts to truth values read.
  private var truths: Set<String> = []
  /// The values that others read.
  private var others: Set<String> = []

  /// Adds nodes that will be imported.
  ///
  /// - Parameters:
  ///   - nodes: the nodes with unique names.
  ///   - scope: the names of their graph.
  mutating func add(_ nodes: [FileNode], in scope: ONNXScope) {
    for node in nodes {
      let isTruth = ONNXOperators.find(node)?.bounds?.readsTruth(node) == true
      for name in node.inputs {
        readers[name, default: 0] += 1
        if isTruth { truths.insert(name) } else { others.insert(name) }
      }
      add(outputs: node.captures.map { scope.unique($0) })
    }
  }

  /// Adds values that are read at the end of a graph.
  mutating func add(outputs names: [String]) {
    for name in names { readers[name, default: 0] += 1 }
    others.formUnion(names)
  }

  /// Takes one reader of a value away; returns whether none is left.
  mutating func release(_ name: String) -> Bool {
    readers[name, default: 1] -= 1
    return readers[name] == 0
  }

  /// Whether only casts to truth values read the value.
  func isTruth(_ name: String) -> Bool { truths.contains(name) && !others.contains(name) }
}

extension FileNode {
  /// The names of values around the node that graphs in its attributes read.
  var captures: [String] { graphs.flatMap { $0.captures } }
}

extension ONNXGraph {
  /// The names that the graph reads and does not make.
  fileprivate var captures: Set<String> {
    var read = Set(outputs.map(\.name))
    var made = Set(inputs.map(\.name)).union(initializers.map(\.name))
    for node in nodes {
      read.formUnion(node.inputs)
      read.formUnion(node.captures)
      made.formUnion(node.outputs)
    }
    return read.subtracting(made).subtracting([""])
  }
}
