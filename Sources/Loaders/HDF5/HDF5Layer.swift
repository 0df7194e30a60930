import ForgeShapes

/// One layer as a file keeps it: its names and its parameters.
struct HDF5Layer: Sendable {
  /// One parameter of a layer.
  struct Parameter: Sendable {
    /// What the file calls it: `kernel`, `moving_mean`; its number where it has no name.
    let name: EntryName
    /// The path of its dataset.
    let entry: EntryName
  }

  /// The name with those of the models around it: `backbone/conv1`.
  let name: EntryName
  /// How deep it lies in models inside models; the outermost wins where names are equal.
  let depth: Int
  /// Other names it answers to when nothing outside answers to them.
  var aliases: [EntryName]
  /// Its parameters, in the order of the file.
  var parameters: [Parameter]
  /// Keras 3: the class of the layer, `conv2d`, and which of its class it is.
  var place: (container: EntryName, number: Int)?

  /// Whether the parameters have numbers instead of names.
  var isNumbered: Bool { place != nil }

  /// The number of the parameter by what it is called; `nil` when the layer has none.
  func parameter(named spec: ParameterSpec) -> Int? {
    ParameterNames.words(for: spec).lazy
      .compactMap { name in parameters.firstIndex { $0.name == name } }.first
  }

  /// The bare name of a stored parameter: `kernel` of `kernel:0` and of `conv1_kernel_1:0`.
  static func bareName(
    _ stored: ArraySlice<UInt8>, layer: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8> {
    let line = UInt8(ascii: "_")
    var name = stored.droppingNumber(after: UInt8(ascii: ":"))
    guard name.count > layer.count, name.starts(with: layer),
      name[name.startIndex + layer.count] == line
    else { return name }
    name = name.dropFirst(layer.count + 1)
    // TensorFlow numbers what it meets a second time.
    return name.droppingNumber(after: line)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes before the last `mark`, when only digits follow it.
  fileprivate func droppingNumber(after mark: UInt8) -> ArraySlice<UInt8> {
    guard let place = lastIndex(of: mark),
      self[place...].dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return self }
    return self[..<place]
  }
}
