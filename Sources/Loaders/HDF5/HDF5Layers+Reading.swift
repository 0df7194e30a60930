#if HDF5
  extension HDF5Layers {
    /// The layers of a file.
    init(_ contents: HDF5Contents) throws(HDF5Fault) {
      for root in ["/model_weights", "/"] where contents.groups[root] != nil {
        guard let names = try contents.texts(of: "layer_names", at: root) else { continue }
        let backend = try contents.texts(of: "backend", at: root)
        self.init(
          form: .listed, layers: try Self.listed(names, at: root, contents),
          isTheano: backend == ["theano"])
        return
      }
      let numbered = try Self.numbered(contents)
      if !numbered.isEmpty {
        self.init(form: .numbered, layers: numbered, isTheano: false)
      } else {
        self.init(form: .plain, layers: Self.plain(contents), isTheano: false)
      }
    }

    // MARK: Lists of names

    private static func listed(
      _ names: [String], at root: String, _ contents: HDF5Contents
    ) throws(HDF5Fault) -> [HDF5Layer] {
      var layers: [HDF5Layer] = []
      for name in names {
        let group = try contents.resolve("\(root)/\(name)")
        guard contents.groups[group] != nil else {
          throw .damaged("it lists the layer \"\(name)\", which it does not have")
        }
        let stored =
          try contents.texts(of: "weight_names", at: group) ?? Self.below(group, contents)
        layers += Self.layers(name, at: group, stored)
      }
      return layers
    }

    /// The paths of all datasets below a group, from there on.
    private static func below(_ group: String, _ contents: HDF5Contents) -> [String] {
      contents.order.filter { $0.hasPrefix(group + "/") }.map {
        String($0.dropFirst(group.count + 1))
      }
    }

    /// The layers in one group of the list: one, or those of a model that is a layer here.
    private static func layers(
      _ name: String, at group: String, _ stored: [String]
    ) -> [HDF5Layer] {
      var inner: [(folder: [Substring], paths: [String])] = []
      for path in stored {
        var folder = path.split(separator: "/").dropLast()
        // Before the layer's own name stands the model's, in some versions.
        if let own = folder.firstIndex(where: { $0 == name }) { folder = folder[(own + 1)...] }
        if let index = inner.firstIndex(where: { $0.folder == Array(folder) }) {
          inner[index].paths.append(path)
        } else {
          inner.append((Array(folder), [path]))
        }
      }
      return inner.map { folder, paths in
        // With one folder there is one layer, in a scope or a wrapper.
        let isOwn = folder.isEmpty || inner.count == 1
        let full = isOwn ? name : "\(name)/\(folder.joined(separator: "/"))"
        let short = folder.last.map(String.init) ?? name
        return HDF5Layer(
          name: full, depth: folder.count, aliases: short == full ? [] : [short],
          parameters: paths.map { path in
            HDF5Layer.Parameter(
              name: HDF5Layer.bareName(
                path.split(separator: "/").last ?? "", layer: isOwn ? name : short),
              entry: "\(group)/\(path)")
          })
      }
    }

    // MARK: Numbered values

    private static func numbered(_ contents: HDF5Contents) throws(HDF5Fault) -> [HDF5Layer] {
      // A file of Windows has backslashes where others have groups.
      func parts(_ path: String) -> [String] {
        path.split { $0 == "/" || $0 == "\\" }.map(String.init)
      }
      var names: [[String]: String] = [:]
      var found: [(place: [String], group: String, children: [String])] = []
      for (path, group) in contents.groups {
        var place = parts(path)
        guard place.popLast() == "vars", place.first?.hasPrefix("optimizer") != true else {
          continue
        }
        names[place] = try contents.texts(of: "name", at: path)?.first ?? place.last ?? ""
        found.append((place, path, group.children))
      }
      found.sort { $0.group < $1.group }
      var layers: [HDF5Layer] = []
      for (place, group, children) in found where !children.isEmpty {
        let numbers = children.compactMap { Int($0) }.sorted()
        guard numbers == Array(0..<children.count) else {
          throw .damaged("the values of \(group) are not numbered from 0")
        }
        // The models around it, but not the one that is the file.
        let around = (1..<max(place.count, 1)).compactMap { names[Array(place[..<$0])] }
        let name = names[place] ?? ""
        let (container, number) = Self.numberedPlace(place)
        layers.append(
          HDF5Layer(
            name: (around + [name]).joined(separator: "/"), depth: around.count,
            aliases: around.isEmpty ? [] : [name],
            parameters: numbers.map {
              HDF5Layer.Parameter(name: String($0), entry: "\(group)/\($0)")
            }, place: (container, number)))
      }
      return withWrappers(layers)
    }

    /// A layer that has nothing of its own but one layer inside, as `TimeDistributed`, answers too.
    private static func withWrappers(_ layers: [HDF5Layer]) -> [HDF5Layer] {
      var inside: [String: Int] = [:]
      let own = Set(layers.map(\.name))
      func around(_ layer: HDF5Layer) -> [String] {
        let parts = layer.name.split(separator: "/")
        return (1..<max(parts.count, 1)).map { parts[..<$0].joined(separator: "/") }
      }
      for layer in layers {
        for name in around(layer) { inside[name, default: 0] += 1 }
      }
      return layers.map { layer in
        var layer = layer
        layer.aliases += around(layer).filter { inside[$0] == 1 && !own.contains($0) }
        return layer
      }
    }

    /// `layers/conv2d` and 1 for `layers/conv2d_1`; 0 for the first, which has no number.
    private static func numberedPlace(_ place: [String]) -> (String, Int) {
      let path = place.joined(separator: "/")
      guard let line = path.lastIndex(of: "_"), let number = Int(path[line...].dropFirst()) else {
        return (path, 0)
      }
      return (String(path[..<line]), number)
    }

    // MARK: Any other file

    private static func plain(_ contents: HDF5Contents) -> [HDF5Layer] {
      var layers: [HDF5Layer] = []
      var indices: [String: Int] = [:]
      for path in contents.order {
        var parts = path.split(separator: "/")
        guard let last = parts.popLast(), parts.first?.hasPrefix("optimizer") != true else {
          continue
        }
        if parts.first == "model_weights" { parts.removeFirst() }
        // Older files of Keras have a layer's name twice.
        if parts.count >= 2, parts[parts.count - 1] == parts[parts.count - 2] { parts.removeLast() }
        guard let short = parts.last else { continue }
        let name = parts.joined(separator: "/")
        let index = indices[name] ?? layers.count
        if index == layers.count {
          indices[name] = index
          layers.append(
            HDF5Layer(
              name: name, depth: parts.count - 1,
              aliases: parts.count > 1 ? [String(short)] : [], parameters: []))
        }
        layers[index].parameters.append(
          HDF5Layer.Parameter(
            name: HDF5Layer.bareName(last, layer: String(short)), entry: path))
      }
      return layers
    }
  }
#endif
