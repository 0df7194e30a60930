#if HDF5
  /// Everything an HDF5 file holds, found by one bounded walk from its root.
  final class HDF5Contents: Sendable {
    /// A group: where its header is, and the names in it.
    struct Group: Sendable {
      let address: Int
      var children: [String] = []
    }

    /// The mapped file.
    let mapping: FileMapping
    let head: HDF5Superblock
    /// The groups by path; the root is `/`.
    let groups: [String: Group]
    /// The datasets by path.
    let datasets: [String: HDF5Dataset]
    /// Where the header of each dataset is.
    let datasetAddresses: [String: Int]
    /// Paths that stand for other paths of the file.
    let aliases: [String: String]
    /// Paths that are not followed, with the reason.
    let blocked: [String: HDF5Fault]
    /// Every path but those of groups and aliases, in the order of names.
    let order: [String]

    /// Walks through a file.
    init(_ mapping: FileMapping) throws(HDF5Fault) {
      let head = try HDF5Superblock(mapping)
      var walk = Walk(head)
      try walk.run()
      self.mapping = mapping
      self.head = head
      groups = walk.groups
      datasets = walk.datasets
      datasetAddresses = walk.datasetAddresses
      aliases = walk.aliases
      blocked = walk.blocked
      order = walk.order
    }

    /// The path of the object a path leads to, over links inside the file.
    ///
    /// - Returns: a path of ``groups`` or ``datasets``, or one that is in neither.
    func resolve(_ path: String) throws(HDF5Fault) -> String {
      var current = ""
      var rest: [Substring] = path.split(separator: "/").reversed()
      var hops = 0
      while let name = rest.popLast() {
        if name == "." { continue }
        let candidate = current + "/" + name
        if let target = aliases[candidate] {
          hops += 1
          guard hops <= HDF5Budget.maximumDepth else {
            throw .refused("links that lead in circles")
          }
          if target.hasPrefix("/") { current = "" }
          rest += target.split(separator: "/").reversed()
          guard rest.count <= HDF5Budget.maximumPathBytes else {
            throw .refused("links that lead in circles")
          }
        } else if let fault = blocked[candidate] {
          throw fault
        } else {
          current = candidate
        }
      }
      return current.isEmpty ? "/" : current
    }

    /// The texts of an attribute of the object at a path; `nil` when there is no such attribute.
    func texts(of attribute: String, at path: String) throws(HDF5Fault) -> [String]? {
      let path = try resolve(path)
      guard let address = groups[path]?.address ?? datasetAddresses[path] else { return nil }
      let attributes = try HDF5Attributes(HDF5ObjectHeader(at: address, head), head)
      if let texts = try attributes.joinedTexts(of: attribute) { return texts }
      if attributes.isPartial { throw .unsupported("the newest form of many attributes") }
      return nil
    }
  }

  /// The walk through a file, without recursion.
  private struct Walk {
    var groups: [String: HDF5Contents.Group] = [:]
    var datasets: [String: HDF5Dataset] = [:]
    var datasetAddresses: [String: Int] = [:]
    var aliases: [String: String] = [:]
    var blocked: [String: HDF5Fault] = [:]
    var order: [String] = []
    private let head: HDF5Superblock
    private var budget = HDF5Budget()
    private var pathsOfGroups: [Int: String] = [:]
    private var stack: [(path: String, link: HDF5Link, depth: Int)] = []

    init(_ head: HDF5Superblock) {
      self.head = head
    }

    mutating func run() throws(HDF5Fault) {
      guard try visitGroup("/", at: head.root, HDF5ObjectHeader(at: head.root, head), depth: 0)
      else { throw .damaged("its root is no group", at: head.root) }
      while let (path, link, depth) = stack.popLast() {
        do {
          try visit(path, link, depth: depth)
        } catch .damaged(let what, let offset) {
          throw .damaged(what, at: offset)
        } catch {
          blocked[path] = error
          order.append(path)
        }
      }
    }

    private mutating func visit(_ path: String, _ link: HDF5Link, depth: Int) throws(HDF5Fault) {
      switch link {
      case .soft(let target):
        let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        aliases[path] = target.hasPrefix("/") ? target : "\(parent)/\(target)"
      case .other(let fault): throw fault
      case .object(let address):
        if let first = pathsOfGroups[address] {
          aliases[path] = first
          return
        }
        let header = try HDF5ObjectHeader(at: address, head)
        if try visitGroup(path, at: address, header, depth: depth) { return }
        guard let dataset = try HDF5Dataset(header, head) else { return }
        datasets[path] = dataset
        datasetAddresses[path] = address
        order.append(path)
      }
    }

    /// Notes a group and puts what it holds on the stack; `false` when the header is no group's.
    private mutating func visitGroup(
      _ path: String, at address: Int, _ header: HDF5ObjectHeader, depth: Int
    ) throws(HDF5Fault) -> Bool {
      pathsOfGroups[address] = path
      guard let links = try HDF5Group.links(header, head) else {
        pathsOfGroups[address] = nil
        return false
      }
      guard depth < HDF5Budget.maximumDepth else {
        throw .refused("groups more than \(HDF5Budget.maximumDepth) deep")
      }
      var group = HDF5Contents.Group(address: address)
      let prefix = path == "/" ? "/" : path + "/"
      for (name, link) in links.reversed() {
        try budget.countLink(path: prefix + name)
        stack.append((prefix + name, link, depth + 1))
      }
      group.children = links.map(\.name)
      groups[path] = group
      return true
    }
  }
#endif
