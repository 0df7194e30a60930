/// The layers of a file that lists their names: Keras 1 and 2, and `.h5` of Keras 3.
struct HDF5LayerList {
  private static let slash = HDF5Contents.slash

  private(set) var layers: [FileLayer] = []
  private let contents: HDF5Contents
  private let reader: HDF5Reader

  init(
    _ names: [[UInt8]], in root: Int, _ contents: HDF5Contents, _ reader: HDF5Reader
  ) throws(LoadError) {
    self.contents = contents
    self.reader = reader
    var listed: Set<EntryName> = []
    for bytes in names {
      let name = try reader.name(bytes)
      guard listed.insert(name).inserted else {
        throw .damaged("it lists the layer \"\(name)\" twice")
      }
      guard let group = try contents.resolve([UInt8]("./".utf8) + bytes, from: root, reader),
        contents.isGroup(group)
      else { throw .damaged("it lists the layer \"\(name)\", which it does not have") }
      try add(name, at: group)
    }
  }

  /// The relative paths of a group's parameters: those it lists, or all datasets below it.
  private func paths(in group: Int) throws(LoadError) -> [[UInt8]] {
    if let names = try contents.texts(of: "weight_names", at: group, reader) { return names }
    var paths: [[UInt8]] = []
    var rest = Array(contents.children(of: group).reversed())
    while let node = rest.popLast() {
      try reader.budget.take(bytes: 32)
      switch contents.nodes[node].content {
      case .group(let children, _): rest.append(contentsOf: children.reversed())
      case .dataset, .blocked:
        let path = contents.path(of: node, below: group)
        try reader.budget.take(bytes: path.count)
        paths.append(path)
      case .same, .soft, .object: break
      }
    }
    return paths
  }

  /// Adds the layers in one listed group.
  private mutating func add(_ name: EntryName, at group: Int) throws(LoadError) {
    var indices: [EntryName: Int] = [:]
    var inner: [(folder: [ArraySlice<UInt8>], inside: EntryName, paths: [[UInt8]])] = []
    for path in try paths(in: group) {
      try reader.budget.take(bytes: 2 * path.count)
      var folder = path.split(separator: Self.slash).dropLast()
      // Some versions prefix the name of the model.
      if let index = folder.firstIndex(where: { $0.elementsEqual(name.bytes) }) {
        folder = folder[(index + 1)...]
      }
      let inside = EntryName(folder.joined(separator: [Self.slash]))
      let index = indices[inside] ?? inner.count
      if index == inner.count {
        indices[inside] = index
        inner.append((Array(folder), inside, []))
      }
      inner[index].paths.append(path)
    }
    // How many layers are in each folder of the group.
    var counts: [EntryName: Int] = [:]
    for (folder, _, _) in inner {
      for end in folder.indices {
        let part = try reader.name(Array(folder[...end].joined(separator: [Self.slash])))
        counts[part, default: 0] += 1
      }
    }
    let prefix = contents.fullPath(of: group) + [Self.slash]
    for (folder, inside, paths) in inner {
      // A single subgroup is the scope or wrapper of one layer.
      let isOwn = folder.isEmpty || inner.count == 1
      let full = isOwn ? name : try reader.name(name.bytes + [Self.slash] + inside.bytes)
      var short = name
      if let last = folder.last { short = try reader.name(last) }
      var layer = FileLayer(
        name: full, depth: folder.count, aliases: short == full ? [] : [short])
      // A model inside of the model, and the folder of a cell in a wrapped layer:
      // `inner/lstm1/forward_lstm/lstm_cell`.
      for end in folder.indices {
        let part = EntryName(folder[...end].joined(separator: [Self.slash]))
        guard counts[part] == 1, isOwn || end + 1 < folder.count else { continue }
        layer.aliases.append(try reader.name(name.bytes + [Self.slash] + part.bytes))
      }
      for path in paths {
        try reader.countEntry()
        try reader.budget.take(bytes: prefix.count)
        let last = path.split(separator: Self.slash).last ?? []
        let bare = Self.bareName(last, layer: (isOwn ? name : short).bytes[...])
        layer.parameters.append(
          .init(name: try reader.name(bare), entry: try reader.name(prefix + path)))
      }
      layers.append(layer)
    }
  }

  /// The bare name of a stored parameter: `kernel` of `kernel:0` and of `conv1_kernel_1:0`.
  static func bareName(
    _ stored: ArraySlice<UInt8>, layer: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8> {
    let line = UInt8(ascii: "_")
    let name = stored.withoutNumber(after: ":")
    guard name.starts(with: layer), name.dropFirst(layer.count).first == line else { return name }
    // TensorFlow appends numbers to duplicate names.
    return name.dropFirst(layer.count + 1).withoutNumber(after: "_")
  }
}
