import ForgeShapes

/// One layer of a file: its names and its parameters.
struct FileLayer: Sendable {
  struct Parameter: Sendable {
    /// The name in the file: `kernel`, `moving_mean`; a number where it has no name.
    let name: EntryName
    /// The entry with its values.
    let entry: EntryName
  }

  /// The name with those of the models around it: `backbone/conv1`.
  let name: EntryName
  /// The nesting in models inside models; the outermost layer wins where names are equal.
  var depth = 0
  /// Other names of the layer, where no outer layer has them.
  var aliases: [EntryName] = []
  /// Its parameters, in the order of the file.
  var parameters: [Parameter] = []
  /// Keras 3: the class of the layer, `conv2d`, and its number within the class.
  var place: (container: EntryName, number: Int)?

  var isNumbered: Bool { place != nil }

  /// The index of a parameter by its name; `nil` when the layer has none.
  func parameter(named spec: ParameterSpec) -> Int? {
    ParameterNames.words(for: spec).lazy
      .compactMap { name in parameters.firstIndex { $0.name == name } }.first
  }
}
