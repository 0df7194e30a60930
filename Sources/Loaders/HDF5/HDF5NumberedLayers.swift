/// The layers of a file with numbered values, as the `.weights.h5` of Keras 3.
enum HDF5NumberedLayers {
  private static let slash = UInt8(ascii: "/")

  /// A group of numbered values.
  private struct Values {
    /// The parts of the path before `vars`.
    let place: [ArraySlice<UInt8>]
    let group: EntryName
    let children: Range<Int>
  }

  /// The layers of a file; empty without numbered values.
  static func read(
    _ contents: HDF5Contents, _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    var names: [EntryName: EntryName] = [:]
    var found: [Values] = []
    for node in contents.nodes.indices {
      guard contents.isGroup(node) else { continue }
      // Files written on Windows have backslashes in names instead of groups.
      guard ends(contents.nodes[node].name.bytes) else { continue }
      let path = contents.fullPath(of: node)
      try reader.budget.take(bytes: 2 * path.count)
      var place = path.split { $0 == slash || $0 == UInt8(ascii: "\\") }
      guard let last = place.popLast(), last.elementsEqual("vars".utf8),
        place.first.map({ !$0.starts(with: "optimizer".utf8) }) ?? true
      else { continue }
      let noted = try contents.texts(of: "name", at: node, reader)?.first?[...]
      names[joined(place[...])] = try reader.name(noted ?? place.last ?? [])
      found.append(
        Values(
          place: place, group: try reader.name(path), children: contents.children(of: node)))
    }
    found.sort { $0.group < $1.group }
    var layers: [FileLayer] = []
    for values in found where !values.children.isEmpty {
      layers.append(try layer(values, names, contents, reader))
    }
    return try withWrappers(layers, reader)
  }

  /// Whether numbered values may have this name.
  private static func ends(_ name: [UInt8]) -> Bool {
    name.suffix(4).elementsEqual("vars".utf8)
  }

  private static func joined(_ parts: ArraySlice<ArraySlice<UInt8>>) -> EntryName {
    EntryName(parts.joined(separator: [slash]))
  }

  private static func layer(
    _ values: Values, _ names: [EntryName: EntryName], _ contents: HDF5Contents,
    _ reader: HDF5Reader
  ) throws(LoadError) -> FileLayer {
    let place = values.place
    let numbers = values.children
      .compactMap { Int(contents.nodes[$0].name.text) }.sorted()
    guard numbers == Array(0..<values.children.count) else {
      throw .damaged("the values of \(values.group) are not numbered from 0")
    }
    let whole = joined(place[...])
    // The models around it, without the outermost.
    var around: [EntryName] = []
    for count in 1..<max(place.count, 1) {
      try reader.budget.take(bytes: whole.count)
      if let name = names[joined(place[..<count])] { around.append(name) }
    }
    let name = names[whole] ?? ""
    let full = around + [name]
    try reader.budget.take(bytes: full.reduce(0) { $0 + $1.count })
    var layer = FileLayer(
      name: try reader.name(Array(full.map(\.bytes).joined(separator: [slash]))),
      depth: around.count, aliases: around.isEmpty ? [] : [name], parameters: [],
      place: try numberedPlace(whole, reader))
    for number in numbers {
      try reader.countEntry()
      let text = Array("\(number)".utf8)
      layer.parameters.append(
        FileLayer.Parameter(
          name: EntryName(text), entry: try reader.name(values.group.bytes + [slash] + text)))
    }
    return layer
  }

  /// Adds the names of wrappers, such as `TimeDistributed`, that have one layer and no values.
  private static func withWrappers(
    _ layers: [FileLayer], _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    var inside: [EntryName: Int] = [:]
    let own = Set(layers.map(\.name))
    var around: [[EntryName]] = []
    for layer in layers {
      var names: [EntryName] = []
      for end in layer.name.bytes.indices where layer.name.bytes[end] == slash {
        let name = try reader.name(layer.name.bytes[..<end])
        inside[name, default: 0] += 1
        names.append(name)
      }
      around.append(names)
    }
    return zip(layers, around).map { layer, names in
      var layer = layer
      layer.aliases += names.filter { inside[$0] == 1 && !own.contains($0) }
      return layer
    }
  }

  /// `layers/conv2d` and 1 for `layers/conv2d_1`; 0 for the first, which has no number.
  private static func numberedPlace(
    _ path: EntryName, _ reader: HDF5Reader
  ) throws(LoadError) -> (container: EntryName, number: Int) {
    guard let line = path.bytes.lastIndex(of: UInt8(ascii: "_")),
      let number = Int(String(decoding: path.bytes[(line + 1)...], as: UTF8.self))
    else { return (path, 0) }
    return (try reader.name(path.bytes[..<line]), number)
  }
}
