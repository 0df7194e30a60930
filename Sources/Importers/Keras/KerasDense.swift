import Forge

/// Fully connected layers.
///
/// Keras's `Dense` acts on the last axis: on a vector this is Forge's ``Dense``, on anything else
/// ``LastAxisDense``.
enum KerasDense {
  static let classes: [KerasClass] = [
    .positionwise("Dense", build: dense).quantizable
  ]

  private static func dense(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let units = try layer.config.integer("units", "output_dim")
    let useBias = try layer.config.flag("use_bias", "bias", default: true)
    let activation = try KerasActivation.stated(by: layer)
    // Keras stores kernels with lora_rank merged.
    if let quantization = try layer.quantization() {
      let product = try KerasQuantizedProduct(
        dense: layer, quantization, outputs: units, biases: useBias ? units : nil,
        activation: activation.function)
      return KerasStep.one { call throws(KerasFault) in try product(call, try call.only()) }
        .then(activation)
    }
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      if input.rank == 1 {
        let dense = Dense(
          neurons: units, activation: activation.function, useBias: useBias, name: layer.path)
        return KerasTensor(tensor: try call.apply(dense, to: input.tensor), rank: 1)
      }
      let dense = LastAxisDense(
        neurons: units, activation: activation.function, useBias: useBias, name: layer.path)
      return try call.apply(dense, to: input)
    }
    .then(activation)
  }
}
