import Forge

/// Who reads the values of an import.
struct ONNXUses {
  /// How many nodes still read a value; outputs are read once more.
  private var readers: [String: Int] = [:]
  /// The values that casts to truth values read.
  private var truths: Set<String> = []
  /// The values that others read.
  private var others: Set<String> = []
  /// What becomes of the numbers in a value where they may be places along an axis.
  private var places: [String: [PlaceReader]] = [:]

  /// Who reads numbers that may be places.
  private enum PlaceReader {
    /// A node that takes the entries there.
    case entries
    /// A node that makes other places of them, with these names.
    case places([String])
    /// A node that reads them as numbers.
    case numbers
  }

  /// The values that one question about places visits at most.
  private static let mostVisited = 64

  /// Adds nodes that will be imported.
  ///
  /// - Parameters:
  ///   - nodes: the nodes with unique names.
  ///   - scope: the names of their graph.
  mutating func add(_ nodes: [FileNode], in scope: ONNXScope) {
    for node in nodes {
      let rule = ONNXOperators.find(node)?.bounds
      let isTruth = rule?.readsTruth(node) == true
      for (index, name) in node.inputs.enumerated() {
        places[name, default: []].append(Self.reader(node, rule, index))
        readers[name, default: 0] += 1
        if isTruth { truths.insert(name) } else { others.insert(name) }
      }
      add(outputs: node.captures.map { scope.unique($0) })
    }
  }

  /// Adds values that are read at the end of a graph.
  mutating func add(outputs names: [String]) {
    for name in names {
      readers[name, default: 0] += 1
      places[name, default: []].append(.numbers)
    }
    others.formUnion(names)
  }

  private static func reader(
    _ node: FileNode, _ rule: ONNXIntegerBounds.Rule?, _ index: Int
  ) -> PlaceReader {
    switch rule?.places {
    case .taken(let input)? where input == index: .entries
    case .moved?, .computed?: .places(node.outputs)
    default: .numbers
    }
  }

  /// Takes one reader of a value away; returns whether none is left.
  mutating func release(_ name: String) -> Bool {
    readers[name, default: 1] -= 1
    return readers[name] == 0
  }

  /// Whether only casts to truth values read the value.
  func isTruth(_ name: String) -> Bool { truths.contains(name) && !others.contains(name) }

  /// Whether the numbers in a value only become places along axes, also through arithmetic; false
  /// where this would take long to find out.
  func isPlace(_ name: String) -> Bool {
    var (waiting, seen): ([String], Set<String>) = ([name], [name])
    while let name = waiting.popLast() {
      guard let readers = places[name], seen.count <= Self.mostVisited else { return false }
      for reader in readers {
        switch reader {
        case .entries: continue
        case .numbers: return false
        case .places(let names):
          for name in names where seen.insert(name).inserted { waiting.append(name) }
        }
      }
    }
    return true
  }
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
