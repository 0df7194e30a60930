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
        let own = layer.with(
          kind: KerasModelDescription.className(kind), config: KerasConfig(config))
        guard let maker = KerasActivationLayers.makers[own.kind] else {
          throw .unsupported("activation \(own.kind)")
        }
        self.init(function: .linear, after: (own.kind, try maker(own)))
      }
    } else {
      throw .invalid("an activation is neither a name nor a layer", received: json.summary)
    }
  }

  /// An activation by the name that Keras has for it.
  static func named(_ name: String, _ layer: KerasLayer) throws(KerasFault) -> KerasActivation {
    if let function = function(name, generation: layer.generation) {
      return KerasActivation(function: function, after: nil)
    }
    if let step = KerasActivationSteps.named(name) {
      return KerasActivation(function: .linear, after: (name, step))
    }
    throw .unsupported("activation \"\(name.prefix(80))\"")
  }

  /// The function of Forge with the default arguments of Keras.
  private static func function(_ name: String, generation: Int) -> ActivationFunction? {
    switch name {
    case "linear": .linear
    case "relu": .relu
    case "relu6": .relu6
    case "leaky_relu": .leakyReLU(slope: 0.2)
    case "elu": .elu(alpha: 1)
    case "selu": .selu
    case "sigmoid": .sigmoid
    case "tanh": .tanh
    case "hard_sigmoid": generation < 3 ? .hardSigmoidKeras2 : .hardSigmoid
    case "hard_silu", "hard_swish": .hardSwish
    case "silu", "swish": .swish
    case "mish": .mish
    case "gelu": .gelu
    case "softplus": .softplus
    case "hard_tanh": .clipped(minimum: -1, maximum: 1)
    default: nil
    }
  }

  /// The activation as a layer of its own.
  var step: KerasStep {
    if let after { return after.step }
    let function = function
    return .layer { Activation(function, name: $0.name) }
  }
}

/// Activations that are not functions of single values in Forge, or are made of several.
enum KerasActivationSteps {
  static func named(_ name: String) -> KerasStep? {
    switch name {
    case "softmax": .layer { Softmax(name: $0.name) }
    case "log_softmax": .layer { LogSoftmax(name: $0.name) }
    // −ln(1 + e⁻ˣ)
    case "log_sigmoid":
      .one { call throws(KerasFault) in
        let input = try call.only()
        let negative = try call.apply(Scale(-1), to: input.tensor)
        let sum = try call.apply(Activation(.softplus), to: negative)
        return KerasTensor(
          tensor: try call.apply(Scale(-1, name: call.name), to: sum), rank: input.rank)
      }
    default: KerasUnaries.named(name)
    }
  }
}
