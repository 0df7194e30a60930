import ForgeShapes

/// One layer of a file: its names and its parameters.
struct FileLayer: Sendable {
  struct Parameter: Sendable {
    /// The name in the file: `kernel`, `moving_mean`, or a number if it has no name.
    let name: EntryName
    /// The name of the entry with its values.
    let entry: EntryName
  }

  /// The full name, with those of enclosing models: `backbone/conv1`.
  let name: EntryName
  /// The nesting depth; the outermost of several layers with the same name takes precedence.
  var depth = 0
  /// Other names of the layer, valid if no outer layer has them.
  var aliases: [EntryName] = []
  /// Its parameters, in the order of the file.
  var parameters: [Parameter] = []
  /// In Keras 3, the path of the layer's class, `layers/conv2d`, and its number within the class.
  var place: (container: EntryName, number: Int)?

  var isNumbered: Bool { place != nil }

  /// The index of a parameter by its possible names; `nil` if there is none.
  func parameter(named spec: ParameterSpec) -> Int? {
    ParameterNames.words(for: spec).lazy
      .compactMap { name in parameters.firstIndex { $0.name == name } }.first
  }
}
