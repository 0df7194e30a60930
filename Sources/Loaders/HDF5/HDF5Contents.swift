/// The contents of an HDF5 file, found by one bounded walk from its root.
///
/// Objects form a tree of nodes. A node stores its own name, and paths are built on demand.
final class HDF5Contents: Sendable {
  /// One link or object of the file.
  struct Node: Sendable {
    enum Content: Sendable {
      /// A group, with its child nodes sorted by name.
      case group(Range<Int>, HDF5Attributes)
      /// The index of a dataset.
      case dataset(Int)
      /// Another name of the group at a node.
      case same(Int)
      /// A soft link to a path in the file.
      case soft(EntryName)
      /// An object or link that is not read, with the reason.
      case blocked(LoadError)
      /// The header address of an object that is not yet read, or of a named type.
      case object(Int)
    }

    let name: EntryName
    let parent: Int
    var content: Content
  }

  static let root = 0
  static let slash = UInt8(ascii: "/")
  /// The maximum number of soft links followed for one path.
  private static let maximumHops = 64

  let input: InputFile
  let head: HDF5Superblock
  let limits: LoadLimits
  /// The nodes of the file, the root first.
  let nodes: [Node]
  /// The datasets, without duplicates.
  let datasets: [HDF5Dataset]
  /// The nodes of datasets and blocked links, depth-first, sorted by name within each group.
  let order: [Int]

  /// Reads the structure of a file; `nil` if it is not HDF5.
  init?(_ input: InputFile, _ limits: LoadLimits) throws(LoadError) {
    let budget = LoadBudget(limits, input)
    guard let head = try HDF5Superblock(input, budget) else { return nil }
    let walk = try HDF5Walk(HDF5Reader(input, budget, head))
    self.input = input
    self.head = head
    self.limits = limits
    nodes = walk.nodes
    datasets = walk.datasets
    order = walk.order
  }

  /// A reader of the file's structure, with a budget of its own.
  func reader() -> HDF5Reader { HDF5Reader(input, LoadBudget(limits, input), head) }

  func isGroup(_ node: Int) -> Bool {
    if case .group = nodes[node].content { true } else { false }
  }

  /// The children of a group; empty for other nodes.
  func children(of node: Int) -> Range<Int> {
    if case .group(let children, _) = nodes[node].content { children } else { 0..<0 }
  }

  /// The dataset of a node; `nil` for other nodes.
  func dataset(at node: Int) -> HDF5Dataset? {
    if case .dataset(let number) = nodes[node].content { datasets[number] } else { nil }
  }

  /// The path of a node relative to an ancestor: `conv1/kernel:0`.
  func path(of node: Int, below top: Int = root) -> [UInt8] {
    var names: [EntryName] = []
    var node = node
    while node != top, node != Self.root {
      names.append(nodes[node].name)
      node = nodes[node].parent
    }
    return Array(names.reversed().map(\.bytes).joined(separator: [Self.slash]))
  }

  /// The absolute path of a node: `/model_weights/conv1`.
  func fullPath(of node: Int) -> [UInt8] { [Self.slash] + path(of: node) }

  /// The child of a group with a name; `nil` if there is none.
  func child(of group: Int, named name: some Collection<UInt8>) -> Int? {
    var range = children(of: group)
    // Binary search: children are sorted by name.
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = nodes[middle].name.bytes
      if found.elementsEqual(name) { return middle }
      range =
        found.lexicographicallyPrecedes(name)
        ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The node at a path, with soft links resolved; `nil` if there is none.
  ///
  /// A relative path starts at the node `start`. Throws if a link on the path is refused or part of
  /// a cycle. The reader's budget bounds the steps.
  func resolve(
    _ path: some Collection<UInt8>, from start: Int = root, _ reader: HDF5Reader
  ) throws(LoadError) -> Int? {
    let slash = Self.slash
    var current = path.first == slash ? Self.root : start
    // The unresolved rests of the path and of links in it.
    var rests = [Array(path)[...]]
    var hops = 0
    try reader.budget.take(bytes: path.count)
    while var rest = rests.popLast() {
      rest = rest.drop { $0 == slash }
      guard !rest.isEmpty else { continue }
      let name = rest.prefix { $0 != slash }
      rests.append(rest.dropFirst(name.count))
      try reader.budget.take(bytes: 32)
      if name.elementsEqual([UInt8(ascii: ".")]) { continue }
      guard let found = child(of: current, named: name) else { return nil }
      switch nodes[found].content {
      case .group, .dataset, .object: current = found
      case .same(let group): current = group
      case .blocked(let fault): throw fault
      case .soft(let target):
        hops += 1
        guard hops <= Self.maximumHops else {
          throw .refusedHDF5("links that lead in circles")
        }
        try reader.budget.take(bytes: target.count)
        if target.bytes.first == slash { current = Self.root }
        rests.append(target.bytes[...])
      }
    }
    return current
  }

  /// The strings of an attribute of a node; `nil` if there is no such attribute.
  func texts(
    of attribute: EntryName, at node: Int, _ reader: HDF5Reader
  ) throws(LoadError) -> [[UInt8]]? {
    let attributes: HDF5Attributes
    switch nodes[node].content {
    case .group(_, let found): attributes = found
    case .dataset(let number): attributes = datasets[number].attributes
    case .same, .soft, .blocked, .object: return nil
    }
    return try attributes.joinedTexts(of: attribute, reader)
  }
}
