/// An iterative traversal of a file that reads every object once.
struct HDF5Walk {
  private(set) var nodes: [HDF5Contents.Node]
  private(set) var datasets: [HDF5Dataset] = []
  private(set) var order: [Int] = []
  private let reader: HDF5Reader
  /// The node content for further names of an object, by header address.
  private var known: [Int: HDF5Contents.Node.Content] = [:]
  private var stack: [Place] = []

  /// A node to visit.
  private struct Place {
    let node: Int
    let depth: Int
    let pathBytes: Int
  }

  init(_ reader: HDF5Reader) throws(LoadError) {
    self.reader = reader
    let root = reader.head.root
    nodes = [HDF5Contents.Node(name: "", parent: 0, content: .object(root))]
    try read(root, at: Place(node: 0, depth: 0, pathBytes: 0))
    guard case .group = nodes[0].content else {
      throw .damaged("its root is not a group", at: root)
    }
    while let place = stack.popLast() {
      guard case .object(let address) = nodes[place.node].content else {
        note(nodes[place.node].content, at: place.node)
        continue
      }
      do throws(LoadError) {
        try read(address, at: place)
      } catch {
        if error.endsReading { throw error }
        known[address] = .blocked(error)
        note(.blocked(error), at: place.node)
      }
    }
  }

  private mutating func note(_ content: HDF5Contents.Node.Content, at node: Int) {
    nodes[node].content = content
    switch content {
    case .dataset, .blocked: order.append(node)
    case .group, .same, .soft, .object: break
    }
  }

  private mutating func read(_ address: Int, at place: Place) throws(LoadError) {
    if let content = known[address] { return note(content, at: place.node) }
    let header = try HDF5ObjectHeader(at: address, reader)
    if let links = try HDF5Group.links(header, reader) {
      let children = try push(links, from: place)
      note(.group(children, try HDF5Attributes(header, reader)), at: place.node)
      known[address] = .same(place.node)
    } else if let dataset = try HDF5Dataset(header, reader) {
      note(.dataset(datasets.count), at: place.node)
      known[address] = .dataset(datasets.count)
      datasets.append(dataset)
    } else {
      known[address] = .object(address)
    }
  }

  /// Adds the children of a group, to be visited next.
  private mutating func push(
    _ links: [HDF5Link], from place: Place
  ) throws(LoadError) -> Range<Int> {
    try reader.budget.check(depth: place.depth)
    let first = nodes.count
    for (name, content) in links {
      let pathBytes = place.pathBytes + 1 + name.count
      try reader.budget.check(nameBytes: pathBytes)
      // Listings build the full path, so its bytes are counted.
      try reader.budget.take(bytes: pathBytes)
      stack.append(Place(node: nodes.count, depth: place.depth + 1, pathBytes: pathBytes))
      nodes.append(HDF5Contents.Node(name: name, parent: place.node, content: content))
    }
    stack[(stack.count - links.count)...].reverse()
    return first..<nodes.count
  }
}
