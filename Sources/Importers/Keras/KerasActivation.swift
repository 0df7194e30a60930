import Forge
import ForgeLoaders

/// The activation of a layer: a function that Forge applies in the layer, or a step after it.
struct KerasActivation: Sendable {
  /// The function in the layer.
  let function: ActivationFunction
  /// What follows the layer, with its name for summaries.
  let after: (name: String, step: KerasStep)?

  /// The activation that a layer states.
  static func stated(by layer: KerasLayer) throws(KerasFault) -> KerasActivation {
    guard let json = layer.config["activation"] else {
      return KerasActivation(function: .linear, after: nil)
    }
    return try KerasActivation(json, layer)
  }

  private init(function: ActivationFunction, after: (name: String, step: KerasStep)?) {
    self.function = function
    self.after = after
  }

  /// An activation: its name, or the description of a function or of a layer.
  init(_ json: JSONValue, _ layer: KerasLayer) throws(KerasFault) {
    if let name = json.text {
      self = try Self.named(name, layer)
    } else if let kind = json["class_name"]?.text {
      let config = json["config"]
      if let name = config?.text ?? (kind == "function" ? json["config"]?["name"]?.text : nil) {
        self = try Self.named(name, layer)
      } else {
        guard let inner = layer.inner(json),
          let known = KerasActivationLayers.classes.first(where: { $0.names.contains(inner.kind) })
        else { throw .unsupported("activation \(kind.prefix(80))") }
        self.init(function: .linear, after: (inner.kind, try known.step(for: inner)))
      }
    } else {
      throw .invalid("an activation is neither a name nor a layer", received: json.summary)
    }
  }

  /// An activation by the name that Keras has for it.
  static func named(_ name: String, _ layer: KerasLayer) throws(KerasFault) -> KerasActivation {
    switch KerasFunctions.find(name)?.activation {
    case .inLayer(let function)?:
      return KerasActivation(function: function(layer.generation), after: nil)
    case .after(let step)?: return KerasActivation(function: .linear, after: (name, step))
    case nil, KerasFunction.Activation.none?: break
    }
    throw .unsupported("activation \"\(name.prefix(80))\"")
  }

  /// The activation as a layer of its own.
  var step: KerasStep {
    if let after { return after.step }
    let function = function
    return .layer { Activation(function, name: $0.name) }
  }
}
