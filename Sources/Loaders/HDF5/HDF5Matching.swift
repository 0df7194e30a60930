import ForgeShapes

/// Which dataset each parameter of a model is, once all are known.
struct HDF5Matching: Sendable {
  /// The path of the dataset of each parameter that has one.
  private(set) var entries: [ParameterSpec: EntryName] = [:]
  /// What is wrong with a layer; said when one of its parameters is asked for.
  private(set) var problems: [String: LoadError] = [:]
  private let file: HDF5File
  private let layout: ParameterLayout

  /// Matches layers of one name.
  init(
    byName specs: [ParameterSpec], _ layers: HDF5Layers, _ file: HDF5File,
    _ layout: ParameterLayout
  ) {
    self.file = file
    self.layout = layout
    for (name, specs) in ParameterNames.byLayer(specs) {
      do {
        guard let layer = try layers.layer(named: EntryName(name)) else { continue }
        try match(specs, layer)
      } catch let clash as HDF5NameClash {
        problems[name] = .clash(file.path, name: name, found: clash.names)
      } catch let error as LoadError {
        problems[name] = error
      } catch {
        problems[name] = LoadError(.damaged, "\(error)", path: file.path)
      }
    }
  }

  /// Matches one parameter by its name, as far as that is enough.
  init(
    alone spec: ParameterSpec, _ layers: HDF5Layers, _ file: HDF5File, _ layout: ParameterLayout
  ) throws(LoadError) {
    self.file = file
    self.layout = layout
    do {
      guard let layer = try layers.layer(named: EntryName(spec.layer)) else { return }
      guard !layer.isNumbered else { throw LoadError.notPrepared(file.path) }
      entries[spec] = layer.parameter(named: spec).map { layer.parameters[$0].entry }
    } catch let clash as HDF5NameClash {
      throw .clash(file.path, name: spec.layer, found: clash.names)
    } catch let error as LoadError {
      throw error
    } catch {
      throw LoadError(.damaged, "\(error)", path: file.path)
    }
  }

  /// Matches the model's layers that have parameters with the file's, one after the other.
  init(
    inOrder specs: [ParameterSpec], _ layers: HDF5Layers, _ file: HDF5File,
    _ layout: ParameterLayout
  ) throws(LoadError) {
    self.file = file
    self.layout = layout
    let wanted = ParameterNames.byLayer(specs)
    guard wanted.count == layers.layers.count else {
      throw .layerCount(
        file.path, found: layers.layers.count, layers.layers.prefix(9).map(\.name.text),
        wanted: wanted.count, wanted.prefix(9).map(\.name))
    }
    switch layers.form {
    case .listed:
      for ((_, specs), layer) in zip(wanted, layers.layers) { try match(specs, layer) }
    case .numbered: try matchClasses(wanted, layers)
    case .plain: throw .noOrder(file.path)
    }
  }

  /// Matches the parameters of one layer; all of the file's must be wanted.
  private mutating func match(
    _ specs: [ParameterSpec], _ layer: HDF5Layer
  ) throws(LoadError) {
    var used: Set<Int> = []
    if layer.isNumbered {
      let sorted = ParameterNames.kerasOrder(specs)
      guard sorted.count == layer.parameters.count else {
        throw .otherParameters(file.path, layer, specs, sizes: sizes(of: layer))
      }
      for (spec, parameter) in zip(sorted, layer.parameters) { entries[spec] = parameter.entry }
      return
    }
    for spec in specs {
      guard let index = layer.parameter(named: spec) else { continue }
      entries[spec] = layer.parameters[index].entry
      used.insert(index)
    }
    // A bias that no layer takes would be lost without a word.
    guard used.count == layer.parameters.count else {
      for spec in specs { entries[spec] = nil }
      throw .otherParameters(file.path, layer, specs, sizes: sizes(of: layer))
    }
  }

  private func sizes(of layer: HDF5Layer) -> [[Int]] {
    let reader = file.contents.reader()
    return layer.parameters.map { file.contents.sizes(at: $0.entry, reader) ?? [] }
  }

  /// Keras 3 keeps the order only among layers of one class: takes the one class whose next layer
  /// has the shapes that are needed.
  private mutating func matchClasses(
    _ wanted: [(name: String, specs: [ParameterSpec])], _ layers: HDF5Layers
  ) throws(LoadError) {
    guard layers.layers.allSatisfy({ $0.depth == 0 }) else { throw .nestedInOrder(file.path) }
    var queues = Dictionary(grouping: layers.layers) { $0.place?.container ?? "" }
      .sorted { $0.key < $1.key }
      .map { container, layers in
        ClassQueue(
          container: container,
          layers: layers.sorted { ($0.place?.number ?? 0) < ($1.place?.number ?? 0) }
            .map { ($0, sizes(of: $0)) })
      }
    for (name, specs) in wanted {
      let sorted = ParameterNames.kerasOrder(specs)
      let fitting = queues.indices.filter { queues[$0].fits(sorted, layout) }
      guard let index = fitting.first else {
        throw .noneFits(file.path, name, specs)
      }
      guard fitting.count == 1 else {
        throw .severalFit(file.path, name, fitting.prefix(9).map { queues[$0].container.text })
      }
      if let layer = queues[index].takeFirst() { try match(specs, layer) }
    }
  }

  /// The layers of one class, in order.
  private struct ClassQueue {
    let container: EntryName
    let layers: [(layer: HDF5Layer, sizes: [[Int]])]
    private var next = 0

    init(container: EntryName, layers: [(HDF5Layer, [[Int]])]) {
      self.container = container
      self.layers = layers
    }

    /// Whether the next layer has the shapes of parameters.
    func fits(_ specs: [ParameterSpec], _ layout: ParameterLayout) -> Bool {
      guard next < layers.count, layers[next].sizes.count == specs.count else { return false }
      return zip(specs, layers[next].sizes).allSatisfy { $0.fits($1, in: layout) }
    }

    mutating func takeFirst() -> HDF5Layer? {
      guard next < layers.count else { return nil }
      next += 1
      return layers[next - 1].layer
    }
  }
}
