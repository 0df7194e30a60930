import ForgeShapes

/// The file entry of each parameter of a model; errors have no file.
struct MatchedLayers: Sendable {
  /// The entry of each parameter that has one.
  private(set) var entries: [ParameterSpec: EntryName] = [:]
  /// The error of each invalid layer, thrown when one of its parameters is requested.
  private(set) var problems: [String: LoadError] = [:]
  private let layers: FileLayers
  private let file: any ParameterFileEntries
  private let layout: ParameterLayout
}

extension MatchedLayers {
  /// Matches layers by name.
  init(
    byName specs: [ParameterSpec], _ layers: FileLayers, _ file: any ParameterFileEntries,
    _ layout: ParameterLayout
  ) {
    self.init(layers: layers, file: file, layout: layout)
    var taken: Set<EntryName> = []
    var missing: [(name: String, specs: [ParameterSpec])] = []
    for (name, specs) in ParameterNames.byLayer(specs) {
      do throws(LoadError) {
        let layer = try layers.layer(named: name)
        if let layer { taken.insert(layer.name) }
        let others = specs.filter { spec in
          layer.map { !$0.isNumbered && $0.parameter(named: spec) == nil } ?? true
        }
        let hasParts = try matchParts(others, among: specs, of: name)
        if let layer {
          try match(hasParts ? specs.filter { !others.contains($0) } : specs, layer)
        } else if !hasParts {
          missing.append((name, specs))
        }
      } catch {
        problems[name] = error
      }
    }
    // A shorter name is taken only where it can mean no other layer of the model.
    let found = missing.map { layers.layer(inListedModel: $0.name) }
    var counts: [EntryName: Int] = [:]
    for layer in found.compactMap(\.self) { counts[layer.name, default: 0] += 1 }
    for ((name, specs), layer) in zip(missing, found) {
      guard let layer, counts[layer.name] == 1, !taken.contains(layer.name) else { continue }
      do throws(LoadError) { try match(specs, layer) } catch { problems[name] = error }
    }
  }

  /// Matches the layers that have parameters in order.
  init(
    inOrder specs: [ParameterSpec], _ layers: FileLayers, _ file: any ParameterFileEntries,
    _ layout: ParameterLayout
  ) throws(LoadError) {
    self.init(layers: layers, file: file, layout: layout)
    let wanted = ParameterNames.byLayer(specs)
    guard wanted.count == layers.layers.count else {
      throw .layerCount(
        found: layers.layers.count, layers.layers.prefix(9).map(\.name.text),
        wanted: wanted.count, wanted.prefix(9).map(\.name))
    }
    switch layers.form {
    case .listed:
      for ((_, specs), layer) in zip(wanted, layers.layers) { try match(specs, layer) }
    case .numbered: try matchClasses(wanted)
    case .plain, .entries: throw .noOrder("the file does not say in which order its layers are")
    }
  }

  /// Matches the parameters of a layer that the file has in parts; returns whether it has any.
  private mutating func matchParts(
    _ specs: [ParameterSpec], among all: [ParameterSpec], of name: String
  ) throws(LoadError) -> Bool {
    var parts: [Int: [(spec: ParameterSpec, partSpec: ParameterSpec)]] = [:]
    for spec in specs {
      guard let part = LayerPart(spec, among: all) else { continue }
      let found = layers.parts(of: name, part)
      guard let first = found.first else { continue }
      guard found.count == 1 else {
        throw .clash(name, found: found.prefix(9).map { layers.layers[$0].name.text })
      }
      parts[first, default: []].append((spec, part.spec))
    }
    for (index, parameters) in parts.sorted(by: { $0.key < $1.key }) {
      // Parts have types of parameters in common, so each has entries of its own.
      var part = MatchedLayers(layers: layers, file: file, layout: layout)
      try part.match(parameters.map(\.partSpec), layers.layers[index])
      for (spec, partSpec) in parameters { entries[spec] = part.entries[partSpec] }
    }
    return !parts.isEmpty
  }

  /// Matches the parameters of one layer.
  ///
  /// The model must use all parameters in the file, because an unused bias would be lost silently.
  private mutating func match(_ specs: [ParameterSpec], _ layer: FileLayer) throws(LoadError) {
    if layer.isNumbered {
      let sorted = ParameterNames.kerasOrder(specs)
      guard sorted.count == layer.parameters.count else { throw otherParameters(specs, layer) }
      for (spec, parameter) in zip(sorted, layer.parameters) { entries[spec] = parameter.entry }
      return
    }
    var found: [ParameterSpec: Int] = [:]
    for spec in specs { found[spec] = layer.parameter(named: spec) }
    let used = Set(found.values)
    var left = layer.parameters.indices.filter { !used.contains($0) }
    if layers.form == .entries {
      let known = Set(ParameterNames.all)
      left = used.isEmpty ? [] : left.filter { known.contains(layer.parameters[$0].name) }
    }
    guard left.isEmpty else {
      guard layers.form == .entries else { throw otherParameters(specs, layer) }
      throw .unused(
        "the file has parameters for \"\(layer.name)\" that the model does not take",
        LoadError.list(left.map { layer.parameters[$0].entry }.sorted().map(\.text)), specs)
    }
    for (spec, index) in found { entries[spec] = layer.parameters[index].entry }
  }

  private func otherParameters(_ specs: [ParameterSpec], _ layer: FileLayer) -> LoadError {
    let stored = zip(layer.parameters, sizes(of: layer)).prefix(8).map {
      "\($0.name) (\(LoadError.sizeText($1)))"
    }
    let more = layer.parameters.count > stored.count ? ["…"] : []
    return .unused(
      "\"\(layer.name)\" has other parameters in the file than in the model",
      (stored + more).joined(separator: ", "), specs)
  }

  private func sizes(of layer: FileLayer) -> [[Int]] {
    file.sizes(of: layer.parameters.map(\.entry)).map { $0 ?? [] }
  }

  /// Matches the layers of a Keras 3 file, which are ordered only within each class.
  ///
  /// Each layer takes the next layer of the only class whose shapes fit.
  private mutating func matchClasses(
    _ wanted: [(name: String, specs: [ParameterSpec])]
  ) throws(LoadError) {
    guard layers.layers.allSatisfy({ $0.depth == 0 }) else {
      throw .noOrder("the file has models inside its model and does not say in which order")
    }
    // The layers of each class, the next one last.
    var queues = Dictionary(grouping: layers.layers) { $0.place?.container ?? "" }
      .sorted { $0.key < $1.key }
      .map { container, layers in
        let order = layers.sorted { ($0.place?.number ?? 0) > ($1.place?.number ?? 0) }
        return (container: container, layers: order.map { ($0, sizes(of: $0)) })
      }
    for (name, specs) in wanted {
      let sorted = ParameterNames.kerasOrder(specs)
      let fitting = queues.indices.filter { index in
        guard let (_, sizes) = queues[index].layers.last, sizes.count == sorted.count else {
          return false
        }
        return zip(sorted, sizes).allSatisfy { $0.fits($1, in: layout) }
      }
      guard let index = fitting.first else { throw .noneFits(name, specs) }
      guard fitting.count == 1 else {
        throw .severalFit(name, fitting.prefix(9).map { queues[$0].container.text })
      }
      if let (layer, _) = queues[index].layers.popLast() { try match(specs, layer) }
    }
  }
}
