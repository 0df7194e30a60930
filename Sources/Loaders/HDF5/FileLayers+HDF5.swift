extension FileLayers {
  /// The layers of a file.
  init(_ contents: HDF5Contents) throws(LoadError) {
    let reader = contents.reader()
    let model = contents.child(of: HDF5Contents.root, named: Array("model_weights".utf8)[...])
    for root in [model, HDF5Contents.root] {
      guard let root, contents.isGroup(root),
        let names = try contents.texts(of: "layer_names", at: root, reader)
      else { continue }
      let backend = try contents.texts(of: "backend", at: root, reader)
      var list = HDF5LayerList(contents, reader)
      for name in names { try list.add(try reader.name(name), in: root) }
      self.init(
        form: .listed, layers: list.layers, isTheano: backend == [Array("theano".utf8)])
      return
    }
    let numbered = try HDF5NumberedLayers.read(contents, reader)
    if !numbered.isEmpty {
      self.init(form: .numbered, layers: numbered, isTheano: false)
    } else {
      self.init(form: .plain, layers: try Self.plain(contents, reader), isTheano: false)
    }
  }

  /// The layers of other files: groups of datasets.
  private static func plain(
    _ contents: HDF5Contents, _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    var layers: [FileLayer] = []
    var indices: [EntryName: Int] = [:]
    for node in contents.order {
      let path = contents.path(of: node)
      try reader.budget.take(bytes: 2 * path.count)
      var parts = path.split(separator: UInt8(ascii: "/"))
      guard let last = parts.popLast(),
        parts.first.map({ !$0.starts(with: "optimizer".utf8) }) ?? true
      else { continue }
      if let first = parts.first, first.elementsEqual("model_weights".utf8) { parts.removeFirst() }
      // Older versions of Keras repeat the name of a layer.
      if parts.count >= 2, parts[parts.count - 1] == parts[parts.count - 2] { parts.removeLast() }
      guard let short = parts.last else { continue }
      let name = try reader.name(Array(parts.joined(separator: [UInt8(ascii: "/")])))
      let index = indices[name] ?? layers.count
      if index == layers.count {
        indices[name] = index
        layers.append(
          FileLayer(
            name: name, depth: parts.count - 1,
            aliases: parts.count > 1 ? [try reader.name(short)] : [], parameters: []))
      }
      layers[index].parameters.append(
        FileLayer.Parameter(
          name: try reader.name(HDF5LayerList.bareName(last, layer: short)),
          entry: try reader.name([UInt8(ascii: "/")] + path)))
    }
    return layers
  }
}
