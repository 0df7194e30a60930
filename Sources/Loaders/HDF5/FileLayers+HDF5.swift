extension FileLayers {
  /// Finds the layers of an HDF5 file.
  init(_ contents: HDF5Contents) throws(LoadError) {
    let reader = contents.reader()
    let model = contents.child(of: HDF5Contents.root, named: "model_weights".utf8)
    for case let root? in [model, HDF5Contents.root] where contents.isGroup(root) {
      guard let names = try contents.texts(of: "layer_names", at: root, reader) else { continue }
      let backend = try contents.texts(of: "backend", at: root, reader)
      self.init(
        form: .listed, layers: try HDF5LayerList(names, in: root, contents, reader).layers,
        isTheano: backend == [Array("theano".utf8)])
      return
    }
    let numbered = try HDF5NumberedLayers.read(contents, reader)
    if numbered.isEmpty {
      self.init(form: .plain, layers: try Self.plain(contents, reader))
    } else {
      self.init(form: .numbered, layers: numbered)
    }
  }

  /// The layers of files not written by Keras: groups of datasets.
  private static func plain(
    _ contents: HDF5Contents, _ reader: HDF5Reader
  ) throws(LoadError) -> [FileLayer] {
    let slash = HDF5Contents.slash
    var layers: [FileLayer] = []
    var indices: [EntryName: Int] = [:]
    for node in contents.order {
      let path = contents.path(of: node)
      try reader.budget.take(bytes: 2 * path.count)
      var parts = path.split(separator: slash)
      guard let last = parts.popLast(), parts.first?.starts(with: "optimizer".utf8) != true else {
        continue
      }
      if parts.first?.elementsEqual("model_weights".utf8) == true { parts.removeFirst() }
      // Older versions of Keras repeat the layer name.
      if parts.count >= 2, parts[parts.count - 1] == parts[parts.count - 2] { parts.removeLast() }
      guard let short = parts.last else { continue }
      let name = try reader.name(Array(parts.joined(separator: [slash])))
      let index = indices[name] ?? layers.count
      if index == layers.count {
        indices[name] = index
        layers.append(
          FileLayer(
            name: name, depth: parts.count - 1,
            aliases: parts.count > 1 ? [try reader.name(short)] : []))
      }
      layers[index].parameters.append(
        FileLayer.Parameter(
          name: try reader.name(HDF5LayerList.bareName(last, layer: short)),
          entry: try reader.name([slash] + path)))
    }
    return layers
  }
}
