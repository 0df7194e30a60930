import Forge

/// Fully connected layers.
///
/// Keras's `Dense` acts on the last axis. On a vector this is Forge's ``Dense``; on anything else a
/// pointwise convolution, which is the same sum.
enum KerasDense {
  static let makers: [String: KerasCatalog.Maker] = ["Dense": dense]

  private static func dense(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let units = try layer.config.integer("units", "output_dim")
    let useBias = try layer.config.flag("use_bias", "bias", default: true)
    let activation = try KerasActivation.stated(by: layer)
    guard layer.config["lora_rank"] == nil else { throw .unsupported("lora_rank") }
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      if input.rank == 1 {
        let dense = Dense(
          neurons: units, activation: activation.function, useBias: useBias, name: layer.path)
        return KerasTensor(tensor: try call.apply(dense, to: input.tensor), rank: 1)
      }
      let pointwise = PointwiseConvolution(
        channels: units, activation: activation.function, useBias: useBias, name: layer.path)
      if input.rank == 3 {
        return KerasTensor(tensor: try call.apply(pointwise, to: input.tensor), rank: 3)
      }
      let sizes = try input.knownSizes("known sizes for Dense on a tensor that is no image")
      let image = Reshape(to: [1, -1, sizes[sizes.count - 1]])
      let result = try call.apply(pointwise, to: try call.apply(image, to: input.tensor))
      let back = Reshape(to: sizes.dropLast() + [units], name: "\(call.name)/reshape")
      return KerasTensor(tensor: try call.apply(back, to: result), rank: input.rank)
    }
    .then(activation)
  }
}
