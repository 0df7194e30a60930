import Forge

/// Functions of single values as operations.
enum KerasFunctions {
  static let makers: [String: KerasOperations.Maker] = {
    var makers: [String: KerasOperations.Maker] = [
      "gelu": gelu, "leaky_relu": leakyRelu, "elu": elu, "softmax": softmax, "clip": clip,
      "clip_by_value": clip,
    ]
    for name in [
      "relu", "relu6", "selu", "sigmoid", "tanh", "silu", "swish", "hard_sigmoid", "hard_silu",
      "hard_swish", "softplus", "mish", "log_softmax", "log_sigmoid", "hard_tanh",
    ] {
      makers[name] = { layer throws(KerasFault) in try KerasActivation.named(name, layer).step }
    }
    // Forge computes in Float32, whatever the type is.
    for name in ["cast", "identity", "stop_gradient", "convert_to_tensor", "copy"] {
      makers[name] = { _ throws(KerasFault) in .identity }
    }
    return makers
  }()

  private static func activation(
    _ function: @escaping @Sendable (KerasCall) throws(KerasFault) -> ActivationFunction
  ) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let input = call.inputs.first, call.inputs.count == 1 else {
        throw .unsupported("arguments that are tensors")
      }
      let activation = Activation(try function(call), name: call.name)
      return KerasTensor(tensor: try call.apply(activation, to: input.tensor), rank: input.rank)
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
