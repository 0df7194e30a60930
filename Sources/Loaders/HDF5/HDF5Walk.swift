/// A walk through a file without recursion, which reads every object once.
struct HDF5Walk {
  /// A known object.
  private enum Known {
    case group(Int)
    case dataset(Int)
    case blocked(LoadError)
    case other
  }

  private(set) var nodes: [HDF5Contents.Node] = []
  private(set) var datasets: [HDF5Dataset] = []
  private(set) var order: [Int] = []
  private let reader: HDF5Reader
  private let limits: LoadLimits
  private var known: [Int: Known] = [:]
  private var stack: [Place] = []

  /// A link to follow.
  private struct Place {
    let node: Int
    let link: HDF5Link
    let depth: Int
    let pathBytes: Int
  }

  init(_ reader: HDF5Reader, _ limits: LoadLimits) {
    self.reader = reader
    self.limits = limits
  }

  mutating func run() throws(LoadError) {
    let root = reader.head.root
    nodes = [HDF5Contents.Node(name: "", parent: 0, content: .other)]
    let place = Place(node: 0, link: .object(root), depth: 0, pathBytes: 0)
    try visit(place)
    guard case .group = nodes[0].content else { throw .damaged("its root is no group", at: root) }
    while let place = stack.popLast() {
      do throws(LoadError) {
        try visit(place)
      } catch {
        if error.endsReading { throw error }
        nodes[place.node].content = .blocked(error)
        order.append(place.node)
        if case .object(let address) = place.link { known[address] = .blocked(error) }
      }
    }
  }

  private mutating func visit(_ place: Place) throws(LoadError) {
    switch place.link {
    case .soft(let target): nodes[place.node].content = .soft(target)
    case .other(let fault): throw fault
    case .object(let address):
      switch known[address] {
      case .group(let first): nodes[place.node].content = .same(first)
      case .dataset(let number): note(number, at: place.node)
      case .blocked(let fault): throw fault
      case .other: return
      case nil: try read(address, at: place)
      }
    }
  }

  private mutating func note(_ number: Int, at node: Int) {
    nodes[node].content = .dataset(number)
    order.append(node)
  }

  private mutating func read(_ address: Int, at place: Place) throws(LoadError) {
    let header = try HDF5ObjectHeader(at: address, reader)
    if try readGroup(header, at: place) {
      known[address] = .group(place.node)
    } else if let dataset = try HDF5Dataset(header, reader) {
      known[address] = .dataset(datasets.count)
      datasets.append(dataset)
      note(datasets.count - 1, at: place.node)
    } else {
      known[address] = .other
    }
  }

  /// Adds a group and pushes its links; `false` for other objects.
  private mutating func readGroup(
    _ header: HDF5ObjectHeader, at place: Place
  ) throws(LoadError) -> Bool {
    guard let links = try HDF5Group.links(header, reader) else { return false }
    try reader.check(depth: place.depth)
    let first = nodes.count
    for (name, link) in links {
      let pathBytes = place.pathBytes + 1 + name.count
      try reader.check(pathBytes: pathBytes)
      // Listings build the path.
      try reader.count(bytes: pathBytes)
      stack.append(
        Place(node: nodes.count, link: link, depth: place.depth + 1, pathBytes: pathBytes))
      nodes.append(HDF5Contents.Node(name: name, parent: place.node, content: .other))
    }
    stack[(stack.count - links.count)...].reverse()
    nodes[place.node].content = .group(
      first..<nodes.count, try HDF5Attributes(header, reader))
    return true
  }
}
