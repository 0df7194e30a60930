/// An HDF5 file of weights, laid out before it is written from front to back.
///
/// It has the oldest form of HDF5, which `h5py` writes: a superblock of version 0, groups as trees
/// of names, and datasets of single precision whose values follow each other. All structure comes
/// first, then the values of one dataset after the other.
struct KerasWeightsFile {
  /// One dataset.
  struct Dataset {
    let sizes: [Int]
    /// Returns the values in row-major order.
    let values: () throws -> [Float]

    var byteCount: Int { sizes.reduce(4) { $0.multipliedSaturated(by: $1) } }
  }

  /// A group, with its own text `name`, its datasets and its groups by name.
  struct Group {
    var text: String?
    var datasets: [String: Dataset] = [:]
    var groups: [String: Group] = [:]

    /// The group at a path, which is made if it is not there.
    subscript(path: ArraySlice<String>) -> Group {
      get { path.first.map { groups[$0, default: Group()][path.dropFirst()] } ?? self }
      set {
        if let first = path.first {
          groups[first, default: Group()][path.dropFirst()] = newValue
        } else {
          self = newValue
        }
      }
    }
  }

  private static let undefined = UInt64.max
  /// Half the most names of a list, and half the most children of a node.
  private static let leafK = 4, nodeK = 16
  private static let superblockBytes = 96

  private var structure = LittleEndianBytes()
  private var datasets: [(dataset: Dataset, address: Int)] = []
  /// The size of the file.
  private(set) var byteCount = 0

  init(_ root: Group) {
    // The size of the structure does not depend on the addresses of the values.
    var sized = self.structure
    var counted: [Dataset] = []
    let first = Self.write(root, in: &sized, from: Self.superblockBytes) {
      counted.append($0)
      return 0
    }
    var end = Self.superblockBytes + sized.bytes.count
    var addresses: [Int] = []
    for dataset in counted {
      addresses.append(end)
      end = end.addingSaturated(dataset.byteCount).addingSaturated(7) / 8 * 8
    }
    byteCount = end
    datasets = zip(counted, addresses).map { (dataset: $0, address: $1) }
    structure = Self.superblock(root: first, byteCount: end)
    var groups = LittleEndianBytes()
    var next = addresses.makeIterator()
    _ = Self.write(root, in: &groups, from: Self.superblockBytes) { _ in
      next.next() ?? 0
    }
    structure.add(groups.bytes)
  }

  /// Hands the bytes of the file over, one dataset at a time.
  ///
  /// - Throws: what the values throw, ``ExportError`` if they do not fill a dataset, and what `add`
  ///   throws.
  func write(_ add: ([UInt8]) throws -> Void) throws {
    try add(structure.bytes)
    var end = structure.bytes.count
    for (dataset, address) in datasets {
      let values = try dataset.values()
      guard values.count * 4 == dataset.byteCount else {
        throw ExportError.notFilled(
          count: values.count, needs: dataset.byteCount / 4)
      }
      try add(Array(repeating: 0, count: address - end))
      #if _endian(little)
        try add(values.withUnsafeBytes { Array($0) })
      #else
        try add(
          values.flatMap { value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
          })
      #endif
      end = address + dataset.byteCount
    }
    try add(Array(repeating: 0, count: byteCount - end))
  }

  // MARK: Structure

  private static func superblock(root: Object, byteCount: Int) -> LittleEndianBytes {
    var bytes = LittleEndianBytes()
    bytes.add([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a])
    bytes.add(0, 5)
    bytes.add(8, 1)
    bytes.add(8, 1)
    bytes.add(0, 1)
    bytes.add(UInt64(leafK), 2)
    bytes.add(UInt64(nodeK), 2)
    bytes.add(0, 4)
    bytes.add(0, 8)
    bytes.add(undefined, 8)
    bytes.add(UInt64(byteCount), 8)
    bytes.add(undefined, 8)
    bytes.add(entry(name: 0, root))
    return bytes
  }

  /// A group or dataset in the file.
  private struct Object {
    let header: Int
    /// The tree and the names of a group.
    var group: (tree: Int, heap: Int)?
  }

  /// An entry of a group.
  private static func entry(name: Int, _ object: Object) -> [UInt8] {
    var bytes = LittleEndianBytes()
    bytes.add(UInt64(name), 8)
    bytes.add(UInt64(object.header), 8)
    bytes.add(object.group == nil ? 0 : 1, 4)
    bytes.add(0, 4)
    bytes.add(UInt64(object.group?.tree ?? 0), 8)
    bytes.add(UInt64(object.group?.heap ?? 0), 8)
    return bytes.bytes
  }

  /// Writes a group with everything in it.
  ///
  /// - Parameters:
  ///   - group: the group.
  ///   - bytes: what it is appended to.
  ///   - base: the address of the first of these bytes.
  ///   - address: returns where the values of a dataset are.
  /// - Returns: where the group is.
  private static func write(
    _ group: Group, in bytes: inout LittleEndianBytes, from base: Int,
    address: (Dataset) -> Int
  ) -> Object {
    var objects: [(name: [UInt8], object: Object)] = []
    for (name, inner) in group.groups.sorted(by: { isBefore($0.key, $1.key) }) {
      let object = write(inner, in: &bytes, from: base, address: address)
      objects.append((Array(name.utf8), object))
    }
    for (name, dataset) in group.datasets.sorted(by: { isBefore($0.key, $1.key) }) {
      let header = base + bytes.bytes.count
      bytes.add(self.header(of: dataset, at: address(dataset)))
      objects.append((Array(name.utf8), Object(header: header)))
    }
    objects.sort { $0.name.lexicographicallyPrecedes($1.name) }
    // The names, the first of which is empty.
    var names = LittleEndianBytes()
    names.add(0, 8)
    var offsets: [Int] = []
    for (name, _) in objects {
      offsets.append(names.bytes.count)
      names.add(name + [0])
      names.align()
    }
    let heap = base + bytes.bytes.count
    bytes.add(Array("HEAP".utf8))
    bytes.add(0, 4)
    bytes.add(UInt64(names.bytes.count), 8)
    bytes.add(1, 8)
    bytes.add(UInt64(heap + 32), 8)
    bytes.add(names.bytes)
    let tree = self.tree(of: zip(offsets, objects.map(\.object)).map { ($0, $1) }, &bytes, base)
    let header = base + bytes.bytes.count
    var messages = LittleEndianBytes()
    var symbols = LittleEndianBytes()
    symbols.add(UInt64(tree), 8)
    symbols.add(UInt64(heap), 8)
    message(0x11, symbols, in: &messages)
    if let text = group.text { message(0xc, attribute("name", text), in: &messages) }
    bytes.add(objectHeader(messages, count: group.text == nil ? 1 : 2))
    return Object(header: header, group: (tree, heap))
  }

  private static func isBefore(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// Writes the lists of a group's entries and the tree above them, and returns its address.
  private static func tree(
    of entries: [(name: Int, object: Object)], _ bytes: inout LittleEndianBytes, _ base: Int
  ) -> Int {
    // Each node with the last name below it.
    var nodes: [(address: Int, last: Int)] = []
    for start in stride(from: 0, to: entries.count, by: 2 * leafK) {
      let part = entries[start..<min(start + 2 * leafK, entries.count)]
      nodes.append((base + bytes.bytes.count, part.last?.name ?? 0))
      bytes.add(Array("SNOD".utf8))
      bytes.add(1, 2)
      bytes.add(UInt64(part.count), 2)
      for (name, object) in part { bytes.add(entry(name: name, object)) }
      bytes.add(Array(repeating: 0, count: (2 * leafK - part.count) * 40))
    }
    var level = 0
    repeat {
      let size = 24 + (4 * nodeK + 1) * 8
      let start = base + bytes.bytes.count
      let count = max((nodes.count + 2 * nodeK - 1) / (2 * nodeK), 1)
      var above: [(address: Int, last: Int)] = []
      var before = 0
      for number in 0..<count {
        let part = nodes.dropFirst(number * 2 * nodeK).prefix(2 * nodeK)
        let address = start + number * size
        var node = LittleEndianBytes()
        node.add(Array("TREE".utf8))
        node.add(0, 1)
        node.add(UInt64(level), 1)
        node.add(UInt64(part.count), 2)
        node.add(number == 0 ? undefined : UInt64(address - size), 8)
        node.add(number == count - 1 ? undefined : UInt64(address + size), 8)
        node.add(UInt64(before), 8)
        for child in part {
          node.add(UInt64(child.address), 8)
          node.add(UInt64(child.last), 8)
        }
        node.add(Array(repeating: 0, count: size - node.bytes.count))
        bytes.add(node.bytes)
        before = part.last?.last ?? 0
        above.append((address, before))
      }
      nodes = above
      level += 1
    } while nodes.count > 1
    return nodes[0].address
  }

  private static func message(
    _ kind: UInt64, _ data: LittleEndianBytes, in messages: inout LittleEndianBytes
  ) {
    var data = data
    data.align()
    messages.add(kind, 2)
    messages.add(UInt64(data.bytes.count), 2)
    messages.add(0, 4)
    messages.add(data.bytes)
  }

  private static func objectHeader(_ messages: LittleEndianBytes, count: Int) -> [UInt8] {
    var header = LittleEndianBytes()
    header.add(1, 2)
    header.add(UInt64(count), 2)
    header.add(1, 4)
    header.add(UInt64(messages.bytes.count), 4)
    header.add(0, 4)
    header.add(messages.bytes)
    return header.bytes
  }

  /// A text as an attribute.
  private static func attribute(_ name: String, _ text: String) -> LittleEndianBytes {
    let (name, text) = (Array(name.utf8) + [0], Array(text.utf8))
    let width = max(text.count, 1)
    var bytes = LittleEndianBytes()
    bytes.add(1, 2)
    bytes.add(UInt64(name.count), 2)
    bytes.add(8, 2)
    bytes.add(8, 2)
    bytes.add(name)
    bytes.align()
    // UTF-8 of a fixed size, filled with zeros.
    bytes.add(0x13, 1)
    bytes.add(0x11, 3)
    bytes.add(UInt64(width), 4)
    // A single value.
    bytes.add(1, 8)
    bytes.add(text + Array(repeating: 0, count: width - text.count))
    return bytes
  }

  private static func header(of dataset: Dataset, at address: Int) -> [UInt8] {
    var messages = LittleEndianBytes()
    var space = LittleEndianBytes()
    space.add(1, 1)
    space.add(UInt64(dataset.sizes.count), 1)
    space.add(0, 6)
    for size in dataset.sizes { space.add(UInt64(size), 8) }
    message(0x1, space, in: &messages)
    var type = LittleEndianBytes()
    // IEEE 754's single precision, little-endian.
    type.add([0x11, 0x20, 0x1f, 0x00])
    type.add(4, 4)
    type.add(0, 2)
    type.add(32, 2)
    type.add([23, 8, 0, 23])
    type.add(127, 4)
    message(0x3, type, in: &messages)
    var fill = LittleEndianBytes()
    fill.add([2, 2, 2, 1])
    fill.add(0, 4)
    message(0x5, fill, in: &messages)
    var layout = LittleEndianBytes()
    layout.add([3, 1])
    layout.add(UInt64(address), 8)
    layout.add(UInt64(dataset.byteCount), 8)
    message(0x8, layout, in: &messages)
    return objectHeader(messages, count: 4)
  }
}
