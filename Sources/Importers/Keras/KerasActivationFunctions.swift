import Forge

/// Activations as functions, and conversions.
enum KerasActivationFunctions {
  static let functions: [KerasFunction] = [
    KerasFunction("linear", activation: .inLayer { _ in .linear }),
    KerasFunction("relu", activation: .inLayer { _ in .relu }),
    KerasFunction("relu6", activation: .inLayer { _ in .relu6 }),
    KerasFunction("selu", activation: .inLayer { _ in .selu }),
    KerasFunction("sigmoid", activation: .inLayer { _ in .sigmoid }),
    KerasFunction("tanh", activation: .inLayer { _ in .tanh }),
    KerasFunction("silu", "swish", activation: .inLayer { _ in .swish }),
    KerasFunction("hard_silu", "hard_swish", activation: .inLayer { _ in .hardSwish }),
    KerasFunction(
      "hard_sigmoid", activation: .inLayer { $0 < 3 ? .hardSigmoidKeras2 : .hardSigmoid }),
    KerasFunction("mish", activation: .inLayer { _ in .mish }),
    KerasFunction("softplus", activation: .inLayer { _ in .softplus }),
    KerasFunction("hard_tanh", activation: .inLayer { _ in .clipped(minimum: -1, maximum: 1) }),
    KerasFunction("log_sigmoid", activation: .after(logSigmoid)),
    KerasFunction("gelu", activation: .inLayer { _ in .gelu }, build: gelu),
    KerasFunction(
      "leaky_relu", activation: .inLayer { _ in .leakyReLU(slope: 0.2) }, build: leakyRelu),
    KerasFunction("elu", activation: .inLayer { _ in .elu(alpha: 1) }, build: elu),
    KerasFunction("softmax", activation: .after(.layer { Softmax(name: $0.name) }), build: softmax),
    KerasFunction(
      "log_softmax", activation: .after(.layer { LogSoftmax(name: $0.name) }), build: logSoftmax),
    KerasFunction("clip", "clip_by_value", activation: .none, build: clip),
    KerasFunction("cast", activation: .none, build: cast),
    KerasFunction("convert_to_tensor", activation: .none, build: cast),
    KerasFunction("identity", activation: .none, build: identity),
    KerasFunction("stop_gradient", activation: .none, build: identity),
    KerasFunction("copy", activation: .none, build: identity),
  ]

  private static let identity: KerasFunction.Build = { _ throws(KerasFault) in .identity }

  /// `−ln(1 + e⁻ˣ)`.
  private static let logSigmoid = KerasStep.one { call throws(KerasFault) in
    let input = try call.only()
    let negative = try call.apply(Scale(-1), to: input.tensor)
    let sum = try call.apply(Activation(.softplus), to: negative)
    return KerasTensor(
      tensor: try call.apply(Scale(-1, name: call.name), to: sum), rank: input.rank)
  }

  /// A conversion: whole numbers have no fraction, Booleans are 0 and 1.
  ///
  /// All are Float32 in Forge. Without a type the values stay.
  private static func cast(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      guard let value = call.value("dtype", at: 1) else {
        return try KerasStep.identity.only(call)
      }
      guard let type = value.json?.text else {
        throw .unsupported("a type that is not stated by its name")
      }
      let cast: any Layer
      switch type {
      case "float16", "bfloat16", "float32", "float64":
        return try KerasStep.identity.only(call)
      case "int8", "int16", "int32", "int64": cast = Unary(.truncate, name: call.name)
      case "bool": cast = Compare(.notEqual, than: [0], name: call.name)
      default: throw .unsupported("the type \(type.prefix(40))")
      }
      return try call.apply(cast, to: input)
    }
  }

  private static func logSoftmax(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let axis = try input.axis(try call.integer(call.value("axis", at: 1), default: -1))
      let layer = LogSoftmax(axis: axis, name: call.name)
      return try call.apply(layer, to: input)
    }
  }

  private static func activation(
    _ function: @escaping @Sendable (KerasCall) throws(KerasFault) -> ActivationFunction
  ) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let input = call.inputs.first, call.inputs.count == 1 else {
        throw .unsupported("arguments that are tensors")
      }
      let activation = Activation(try function(call), name: call.name)
      return try call.apply(activation, to: input)
    }
  }

  private static func gelu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    // TensorFlow is exact by default, keras.ops is not.
    let isApproximate = layer.isOperation
    return activation { call throws(KerasFault) in
      try call.flag(call.value("approximate", at: 1), default: isApproximate) ? .geluTanh : .gelu
    }
  }

  private static func leakyRelu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    activation { call throws(KerasFault) in
      .leakyReLU(slope: try call.number(call.value("negative_slope", "alpha", at: 1)) ?? 0.2)
    }
  }

  private static func elu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    activation { call throws(KerasFault) in
      .elu(alpha: try call.number(call.value("alpha", at: 1)) ?? 1)
    }
  }

  private static func clip(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    activation { call throws(KerasFault) in
      guard let minimum = try call.number(call.value("x_min", "clip_value_min", at: 1)),
        let maximum = try call.number(call.value("x_max", "clip_value_max", at: 2))
      else { throw .unsupported("missing bounds") }
      return .clipped(minimum: minimum, maximum: maximum)
    }
  }

  private static func softmax(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let axis = try call.integer(call.value("axis", at: 1), default: -1)
      return KerasTensor(
        tensor: try KerasSoftmax.softmax(of: input, axis: axis, call), rank: input.rank)
    }
  }
}
