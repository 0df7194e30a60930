import Forge
import ForgeLoaders

/// The description of one model: its layers, and how they are connected.
///
/// A `Sequential` model is a chain, in which each layer is called once on what the one before it
/// returns.
struct KerasModelDescription: Sendable {
  /// A layer with its calls.
  struct Entry: Sendable {
    /// The class without its package: `Conv2D`.
    let kind: String
    /// The module of the class, in Keras 3.
    let module: String?
    /// The layer's own name.
    let name: String
    /// The description of the layer, whose arguments are in `config`.
    let json: JSONValue
    /// The arguments of its calls.
    var calls: [KerasCallArguments]

    var isInput: Bool { kind == "InputLayer" }
    /// Whether it is a model of its own.
    var isModel: Bool { KerasModelDescription.kinds.contains(kind) }
  }

  /// The classes of models.
  static let kinds: Set<String> = ["Sequential", "Functional", "Model"]

  /// The layer's own name.
  let name: String
  /// Whether it is a chain.
  let isSequential: Bool
  /// The layers in the order of the file.
  private(set) var layers: [Entry]
  /// The inputs; for a chain without an `InputLayer`, ``chainInput``.
  private(set) var inputs: [KerasReference] = []
  /// The outputs.
  private(set) var outputs: [KerasReference] = []

  /// Reads a description.
  init(_ json: JSONValue, path: String?) throws(ImportError) {
    guard let kind = json["class_name"]?.text.map(Self.className), let config = json["config"],
      Self.kinds.contains(kind),
      let list = config.array ?? config["layers"]?.array
    else {
      throw .keras(unusableModel: json, path: path)
    }
    isSequential = kind == "Sequential"
    name = config["name"]?.text ?? json["name"]?.text ?? "model"
    layers = []
    for item in list { layers.append(try Self.entry(item, of: name, path)) }
    var names: Set<String> = []
    for layer in layers where !names.insert(layer.name).inserted {
      throw .kerasDescription(
        "two layers have the same name", path: path, entry: name, received: "\"\(layer.name)\"")
    }
    if isSequential { chain() } else { try connect(config, path) }
  }

  /// The class name without the package that a registered class has: `Custom>Scale`.
  static func className(_ name: String) -> String {
    name.split(separator: ">").last.map(String.init) ?? name
  }

  /// The names of a class with its package: that of its registration, and that of the class.
  static func registeredNames(_ json: JSONValue) -> [String] {
    ["registered_name", "class_name"].compactMap { json[EntryName($0)]?.text }
  }

  private static func entry(
    _ json: JSONValue, of model: String, _ path: String?
  ) throws(ImportError) -> Entry {
    guard let kind = json["class_name"]?.text else {
      throw .kerasDescription(
        "a layer has no class", path: path, entry: model, received: json.summary,
        needs: "class_name and config")
    }
    guard let name = json["name"]?.text ?? json["config"]?["name"]?.text else {
      throw .kerasDescription("a layer has no name", path: path, entry: model, received: kind)
    }
    guard !name.isEmpty, !name.contains(where: \.isNewline), name.utf8.count <= 4096 else {
      throw .kerasDescription(
        "a layer has an unusable name", path: path, entry: model,
        received: "\(name.utf8.count) bytes of \(kind)")
    }
    guard let calls = KerasCallArguments.calls(json["inbound_nodes"]) else {
      throw .kerasDescription(
        "the inputs of a layer are not in a form that Keras writes", path: path, entry: name)
    }
    return Entry(
      kind: className(kind), module: json["module"]?.text, name: name, json: json, calls: calls)
  }

  /// The input of a chain without an `InputLayer`; no layer has an empty name.
  static let chainInput = KerasReference(layer: "", call: 0, output: 0)

  /// Connects a chain.
  private mutating func chain() {
    var last = Self.chainInput
    for index in layers.indices {
      let reference = KerasReference(layer: layers[index].name, call: 0, output: 0)
      if index == 0, layers[index].isInput {
        inputs = [reference]
      } else {
        layers[index].calls = [KerasCallArguments(only: last)]
      }
      last = reference
    }
    if inputs.isEmpty { inputs = [Self.chainInput] }
    outputs = [last]
  }

  private mutating func connect(_ config: JSONValue, _ path: String?) throws(ImportError) {
    func references(_ key: String) throws(ImportError) -> [KerasReference] {
      guard let json = config[EntryName(key)], let found = KerasReference.all(in: json),
        !found.isEmpty
      else {
        throw .kerasDescription(
          "the model has no \(key)", path: path, entry: name,
          received: config[EntryName(key)]?.summary ?? "nothing",
          needs: "[[\"layer\", 0, 0], …]")
      }
      return found
    }
    inputs = try references("input_layers")
    outputs = try references("output_layers")
  }
}

extension ForgeError where ErrorKind == ImportErrorKind {
  /// The error of a description that is neither a Sequential nor a Functional model.
  fileprivate static func keras(unusableModel json: JSONValue, path: String?) -> ImportError {
    let kind = json["class_name"]?.text
    guard let kind, !KerasModelDescription.kinds.contains(KerasModelDescription.className(kind))
    else {
      return .kerasDescription(
        "the description of a model lacks its layers", path: path, received: json.summary,
        needs: "class_name and config with layers")
    }
    return ImportError(
      .unsupported, "the model is a subclass of keras.Model, whose code is not in the file",
      path: path, received: "\"\(kind.prefix(80))\"", needs: "a Sequential or Functional model",
      remedy: "build the model with keras.Model(inputs, outputs) and save it again")
  }
}
