import Forge
import ForgeLoaders

/// One layer of a model description.
struct KerasLayer: Sendable {
  /// The layer's own name.
  let name: String
  /// The name with those of the enclosing models: `backbone/conv1`.
  let path: String
  /// The class without its package: `Conv2D`.
  let kind: String
  /// The names of the class with its package, as the description states them: `Own>Scale`.
  var registered: [String] = []
  /// The Python module of the class, which Keras 3 states.
  let module: String?
  /// The arguments.
  let config: KerasConfig
  /// What all layers of the file share.
  let file: KerasSource

  /// The major version of Keras: 1, 2 or 3.
  var generation: Int { file.generation }

  /// Whether the layer is an operation of Keras 3, such as `x + 3`, and not a layer.
  var isOperation: Bool {
    if let module { return module.contains(".ops.") }
    // An HDF5 file does not state the module, but every layer states whether it is trained.
    return generation > 2 && config["trainable", "dtype"] == nil && KerasFunctions.has(kind)
  }

  /// Whether images have the channels first.
  var isChannelsFirst: Bool {
    let format = config["data_format", "dim_ordering"]?.text
    return format == "channels_first" || format == "th"
  }

  /// What builds the layer in the options of the import.
  var builder: ImportOptions.KerasLayerBuilder? {
    guard !file.builders.isEmpty else { return nil }
    return (registered + [kind]).lazy.compactMap { file.builders[$0] }.first
  }

  /// The layer in one of the arguments of a wrapper, which has the wrapper's name; `nil` if there
  /// is none.
  func inner(_ argument: String) -> KerasLayer? {
    config[argument].flatMap { inner($0) }
  }

  /// A layer that a wrapper has inside, by its description.
  func inner(_ json: JSONValue) -> KerasLayer? {
    guard let kind = json["class_name"]?.text else { return nil }
    return KerasLayer(
      name: name, path: path, kind: KerasModelDescription.className(kind),
      registered: KerasModelDescription.registeredNames(json), module: json["module"]?.text,
      config: KerasConfig(json["config"]), file: file)
  }
}
