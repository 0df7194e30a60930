import Forge

/// One layer of a model description.
struct KerasLayer: Sendable {
  /// The own name.
  let name: String
  /// The name with those of the enclosing models: `backbone/conv1`.
  let path: String
  /// The class without its package: `Conv2D`.
  let kind: String
  /// The Python module of the class, which Keras 3 states.
  let module: String?
  /// The arguments.
  let config: KerasConfig
  /// The major version of Keras: 1, 2 or 3.
  let generation: Int
  /// Reads values that become part of the network.
  let values: KerasValues

  /// Whether the layer is an operation of Keras 3, such as `x + 3`, and not a layer.
  var isOperation: Bool {
    // An HDF5 file does not state the module; every layer states whether it is trained.
    guard let module else { return generation > 2 && config["trainable", "dtype"] == nil }
    return module.contains(".ops.")
  }

  /// Whether images have the channels first.
  var isChannelsFirst: Bool {
    let format = config["data_format", "dim_ordering"]?.text
    return format == "channels_first" || format == "th"
  }

  /// The same layer with other arguments, as a wrapper has it inside.
  func with(kind: String, config: KerasConfig) -> KerasLayer {
    KerasLayer(
      name: name, path: path, kind: kind, module: module, config: config, generation: generation,
      values: values)
  }
}
