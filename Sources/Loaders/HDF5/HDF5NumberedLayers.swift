/// The layers of a file with numbered values: `.weights.h5` of Keras 3.
enum HDF5NumberedLayers {
  private static let slash = HDF5Contents.slash

  /// The layers of a file; empty without numbered values.
  static func read(
    _ contents: HDF5Contents, _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    var names: [EntryName: EntryName] = [:]
    // Groups of numbered values, with their path components before `vars`.
    var found: [(place: [ArraySlice<UInt8>], group: EntryName, children: Range<Int>)] = []
    // Files written on Windows have backslashes in names instead of nested groups.
    for node in contents.nodes.indices
    where contents.isGroup(node)
      && contents.nodes[node].name.bytes.suffix(4).elementsEqual("vars".utf8)
    {
      let path = contents.fullPath(of: node)
      try reader.budget.take(bytes: 2 * path.count)
      var place = path.split { $0 == slash || $0 == UInt8(ascii: "\\") }
      guard let last = place.popLast(), last.elementsEqual("vars".utf8),
        place.first?.starts(with: "optimizer".utf8) != true
      else { continue }
      let noted = try contents.texts(of: "name", at: node, reader)?.first?[...]
      names[joined(place[...])] = try reader.name(noted ?? place.last ?? [])
      found.append((place, try reader.name(path), contents.children(of: node)))
    }
    found.sort { $0.group < $1.group }
    var layers: [FileLayer] = []
    for (place, group, children) in found where !children.isEmpty {
      let numbers = children.compactMap { Int(contents.nodes[$0].name.text) }.sorted()
      guard numbers.elementsEqual(0..<children.count) else {
        throw .damaged("the values of \(group) are not numbered from 0")
      }
      layers.append(try layer(at: place, group, values: children.count, names, reader))
    }
    return try withWrappers(layers, reader)
  }

  private static func joined(_ parts: ArraySlice<ArraySlice<UInt8>>) -> EntryName {
    EntryName(parts.joined(separator: [slash]))
  }

  /// The layer of a group of values numbered from 0.
  private static func layer(
    at place: [ArraySlice<UInt8>], _ group: EntryName, values count: Int,
    _ names: [EntryName: EntryName], _ reader: HDF5Reader
  ) throws(LoadError) -> FileLayer {
    let path = joined(place[...])
    // The names of the enclosing models, without the outermost.
    var around: [EntryName] = []
    for depth in 1..<max(place.count, 1) {
      try reader.budget.take(bytes: path.count)
      if let name = names[joined(place[..<depth])] { around.append(name) }
    }
    let name = names[path] ?? ""
    let full = around + [name]
    try reader.budget.take(bytes: full.reduce(0) { $0 + $1.count })
    var layer = FileLayer(
      name: try reader.name(Array(full.map(\.bytes).joined(separator: [slash]))),
      depth: around.count, aliases: around.isEmpty ? [] : [name], place: (path, 0))
    // `layers/conv2d_1` has the number 1; the first has none.
    if let line = path.bytes.lastIndex(of: UInt8(ascii: "_")),
      let number = Int(String(decoding: path.bytes[(line + 1)...], as: UTF8.self))
    {
      layer.place = (try reader.name(path.bytes[..<line]), number)
    }
    for number in 0..<count {
      try reader.countEntry()
      let text = EntryName("\(number)")
      layer.parameters.append(
        FileLayer.Parameter(
          name: text, entry: try reader.name(group.bytes + [slash] + text.bytes)))
    }
    return layer
  }

  /// Adds the names of wrappers, such as `TimeDistributed`, that have one layer and no own values.
  private static func withWrappers(
    _ layers: [FileLayer], _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    var inside: [EntryName: Int] = [:]
    let layerNames = Set(layers.map(\.name))
    let around = try layers.map { layer throws(LoadError) in
      let ends = layer.name.bytes.indices.filter { layer.name.bytes[$0] == slash }
      return try ends.map { end throws(LoadError) in try reader.name(layer.name.bytes[..<end]) }
    }
    for name in around.joined() { inside[name, default: 0] += 1 }
    return zip(layers, around).map { layer, names in
      var layer = layer
      layer.aliases += names.filter { inside[$0] == 1 && !layerNames.contains($0) }
      return layer
    }
  }
}
