import Forge

/// Who reads the values of an import.
struct ONNXUses {
  /// The readers of each value.
  private var readers: [String: Readers] = [:]

  /// Who reads a value.
  private struct Readers {
    /// How many nodes still read the value; outputs are read once more.
    var count = 0
    /// Whether casts to Booleans read it, and whether others do.
    var areTruths = false, areOthers = false
    /// What becomes of its numbers where they may be places along an axis.
    var places: [PlaceReader] = []

    mutating func add(_ place: PlaceReader, isTruth: Bool) {
      count += 1
      if isTruth { areTruths = true } else { areOthers = true }
      places.append(place)
    }
  }

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
        readers[name, default: Readers()].add(Self.reader(node, rule, index), isTruth: isTruth)
      }
      add(outputs: node.captures.map { scope.unique($0) })
    }
  }

  /// Adds values that are read at the end of a graph.
  mutating func add(outputs names: [String]) {
    for name in names { readers[name, default: Readers()].add(.numbers, isTruth: false) }
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
    // A value that no node was said to read is read where it is released.
    readers[name, default: Readers(count: 1)].count -= 1
    return readers[name]?.count == 0
  }

  /// Whether only casts to Booleans read the value.
  func isTruth(_ name: String) -> Bool {
    readers[name].map { $0.areTruths && !$0.areOthers } ?? false
  }

  /// Whether the numbers in a value only become places along axes, even through arithmetic; false
  /// where this would take long to find out.
  func isPlace(_ name: String) -> Bool {
    var (waiting, seen): ([String], Set<String>) = ([name], [name])
    while let name = waiting.popLast() {
      guard let places = readers[name]?.places, seen.count <= Self.mostVisited else {
        return false
      }
      for place in places {
        switch place {
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
