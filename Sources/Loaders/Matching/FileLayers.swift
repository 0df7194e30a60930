import ForgeShapes

/// The layers of a file.
struct FileLayers: Sendable {
  /// How a file stores layers.
  enum Form: Sendable {
    /// Keras 1 and 2, and `.h5` of Keras 3: lists of names, in order.
    case listed
    /// `.weights.h5` of Keras 3: numbered values in groups by class.
    case numbered
    /// Groups of HDF5 datasets from other programs, without an order.
    case plain
    /// Entries named by layer and parameter; unknown parameters are ignored.
    case entries
  }

  /// The maximum number of layers kept per name: one more than a message shows.
  private static let shownClashes = 9
  /// The deepest nesting of models that lists are searched for.
  private static let mostLevels = 16

  let form: Form
  /// The layers that have parameters, in the order of the file.
  let layers: [FileLayer]
  /// Whether kernels are flipped, as in Theano.
  let isTheano: Bool
  /// The layers at most two levels below each name, whether or not it is a layer itself.
  private(set) var inner: [EntryName: [Int]] = [:]
  /// What stands between the levels of a name.
  static let separators = "/.".utf8
  /// The layers that best match each name, and their distance.
  private var nearest: [EntryName: (distance: Int, layers: [Int])] = [:]

  init(form: Form, layers: [FileLayer], isTheano: Bool = false) {
    self.form = form
    self.layers = layers
    self.isTheano = isTheano
    for (index, layer) in layers.enumerated() {
      let name = layer.name.bytes
      let ends = name.indices.filter { Self.separators.contains(name[$0]) }
      for end in ends.suffix(2) { inner[EntryName(name[..<end]), default: []].append(index) }
      // A full name is nearer than an alias.
      note(index, as: layer.name, distance: -1)
      for alias in layer.aliases where alias != layer.name {
        note(index, as: alias, distance: layer.depth)
      }
    }
  }

  private mutating func note(_ index: Int, as name: EntryName, distance: Int) {
    guard let found = nearest[name], found.distance <= distance else {
      nearest[name] = (distance, [index])
      return
    }
    guard found.distance == distance, found.layers.count < Self.shownClashes,
      found.layers.last != index
    else { return }
    nearest[name]?.layers.append(index)
  }

  /// The layer with a name, the outermost of several; `nil` if there is none.
  ///
  /// - Throws: ``LoadError`` of kind `duplicate` if two are at the same depth.
  func layer(named name: String) throws(LoadError) -> FileLayer? {
    guard let found = nearest[EntryName(name)]?.layers, let first = found.first else { return nil }
    guard found.count == 1 else { throw .clash(name, found: found.map { layers[$0].name.text }) }
    return layers[first]
  }

  /// The layer of a model inside of models, which lists have under the outermost one alone:
  /// `outer/inner/conv1` as `outer/conv1`; `nil` if there is none or several fit.
  func layer(inListedModel name: String) -> FileLayer? {
    guard form == .listed else { return nil }
    var levels = name.split(separator: "/")
    guard (3...Self.mostLevels).contains(levels.count) else { return nil }
    while levels.count > 2 {
      levels.remove(at: 1)
      let shorter = EntryName(levels.joined(separator: "/"))
      if let found = nearest[shorter]?.layers {
        return found.count == 1 ? layers[found[0]] : nil
      }
    }
    return nil
  }

  /// The entry of one parameter, without checking the others of its layer.
  func entry(for spec: ParameterSpec) throws(LoadError) -> EntryName? {
    let layer = try layer(named: spec.layer)
    guard layer?.isNumbered != true else {
      throw .unprepared("the file was not prepared for the model's parameters")
    }
    if let layer, let index = layer.parameter(named: spec) { return layer.parameters[index].entry }
    return form == .entries ? wholeNames(of: spec).first(where: hasEntry) : nil
  }

  /// The names that an entry of a custom parameter may have.
  ///
  /// The list of layers has `se.reduce_bias` as the biases of `se.reduce`, but it may be the
  /// `reduce_bias` of `se`.
  private func wholeNames(of spec: ParameterSpec) -> [EntryName] {
    ["/", ".", "_"].map { EntryName("\(spec.layer)\($0)\(spec.type.name)") }
  }

  /// Whether the file has an entry of exactly this name.
  private func hasEntry(_ name: EntryName) -> Bool {
    guard let owner = EntryNames.split(name)?.layer, let indices = nearest[owner]?.layers else {
      return false
    }
    return indices.contains { layers[$0].parameters.contains { $0.entry == name } }
  }

  /// The shortest unambiguous name of each layer.
  var names: [String] {
    layers.enumerated().map { index, layer in
      let slash = layer.name.bytes.lastIndex(of: UInt8(ascii: "/"))
      let short = EntryName(layer.name.bytes[(slash.map { $0 + 1 } ?? 0)...])
      return nearest[short]?.layers == [index] ? short.text : layer.name.text
    }
  }
}
