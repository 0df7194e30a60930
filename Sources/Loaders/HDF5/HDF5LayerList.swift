/// The layers of a file with a list of their names, as of Keras 1 and 2, and `.h5` of Keras 3.
struct HDF5LayerList {
  private static let slash = UInt8(ascii: "/")

  private(set) var layers: [FileLayer] = []
  private let contents: HDF5Contents
  private let reader: HDF5Reader
  private var names: Set<EntryName> = []

  init(_ contents: HDF5Contents, _ reader: HDF5Reader) {
    self.contents = contents
    self.reader = reader
  }

  /// Adds a listed layer, or the layers of a listed model.
  mutating func add(_ name: EntryName, in root: Int) throws(LoadError) {
    guard names.insert(name).inserted else {
      throw .damaged("it lists the layer \"\(name)\" twice")
    }
    guard let group = try contents.resolve([UInt8]("./".utf8) + name.bytes, from: root, reader),
      contents.isGroup(group)
    else { throw .damaged("it lists the layer \"\(name)\", which it does not have") }
    try add(name, at: group, try stored(in: group))
  }

  /// The paths of a group's parameters, relative to it.
  private func stored(in group: Int) throws(LoadError) -> [[UInt8]] {
    if let names = try contents.texts(of: "weight_names", at: group, reader) { return names }
    return try below(group)
  }

  /// The paths of all datasets below a group.
  private func below(_ group: Int) throws(LoadError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    var rest = Array(contents.children(of: group).reversed())
    while let node = rest.popLast() {
      try reader.count(bytes: 32)
      switch contents.nodes[node].content {
      case .group(let children, _): rest.append(contentsOf: children.reversed())
      case .dataset, .blocked:
        let path = contents.path(of: node, below: group)
        try reader.count(bytes: path.count)
        paths.append(path)
      case .same, .soft, .other: break
      }
    }
    return paths
  }

  /// Adds the layers in one group of the list.
  private mutating func add(
    _ name: EntryName, at group: Int, _ stored: [[UInt8]]
  ) throws(LoadError) {
    var indices: [EntryName: Int] = [:]
    var inner: [(folder: [ArraySlice<UInt8>], paths: [[UInt8]])] = []
    for path in stored {
      try reader.count(bytes: 2 * path.count)
      var folder = path.split(separator: Self.slash).dropLast()
      // Some versions put the name of the model before the name of the layer.
      if let own = folder.firstIndex(where: { $0.elementsEqual(name.bytes) }) {
        folder = folder[(own + 1)...]
      }
      let key = EntryName(folder.joined(separator: [Self.slash]))
      if let index = indices[key] {
        inner[index].paths.append(path)
      } else {
        indices[key] = inner.count
        inner.append((Array(folder), [path]))
      }
    }
    let prefix = contents.fullPath(of: group) + [Self.slash]
    for (folder, paths) in inner {
      // A single folder is the scope or wrapper of one layer.
      let isOwn = folder.isEmpty || inner.count == 1
      let inside = Array(folder.joined(separator: [Self.slash]))
      let full = isOwn ? name : try reader.name(name.bytes + [Self.slash] + inside)
      let short = try folder.last.map { part throws(LoadError) in try reader.name(part) } ?? name
      var layer = FileLayer(
        name: full, depth: folder.count, aliases: short == full ? [] : [short], parameters: [])
      for path in paths {
        try reader.countEntry()
        try reader.count(bytes: prefix.count)
        let last = path.split(separator: Self.slash).last ?? []
        layer.parameters.append(
          FileLayer.Parameter(
            name: try reader.name(
              Self.bareName(last, layer: (isOwn ? name : short).bytes[...])),
            entry: try reader.name(prefix + path)))
      }
      layers.append(layer)
    }
  }

  /// The bare name of a stored parameter: `kernel` of `kernel:0` and of `conv1_kernel_1:0`.
  static func bareName(
    _ stored: ArraySlice<UInt8>, layer: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8> {
    let name = stored.withoutNumber(after: ":")
    guard name.count > layer.count, name.starts(with: layer),
      name[name.startIndex + layer.count] == UInt8(ascii: "_")
    else { return name }
    // TensorFlow numbers names that it meets again.
    return name.dropFirst(layer.count + 1).withoutNumber(after: "_")
  }
}
