import Forge

/// The custom layers of the networks in `keras.applications`.
enum KerasApplications {
  static let classes: [KerasClass] = [
    KerasClass(
      ["LayerScale"], arguments: .usual, mask: .lost, training: .same,
      positions: .apart, build: layerScale),
    .spatial("CustomScaleLayer", build: customScale),
  ]

  /// ConvNeXt's product with one trained factor per channel.
  private static func layerScale(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let factors = try layer.file.values.floats("gamma", number: 0, of: layer)
    return .layer { Multiply(constant: factors, name: $0.name) }
  }

  /// Inception-ResNet's `a + scale·b`.
  private static func customScale(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let scale = try layer.config.number("scale")
    return .one { call throws(KerasFault) in
      guard call.inputs.count == 2, call.inputs[0].rank == call.inputs[1].rank else {
        throw .invalid("the layer takes two tensors", received: "\(call.inputs.count)")
      }
      let scaled = try call.apply(Multiply(constant: [scale]), to: call.inputs[1].tensor)
      return KerasTensor(
        tensor: try call.apply(Add(name: call.name), to: call.inputs[0].tensor, scaled),
        rank: call.inputs[0].rank)
    }
  }
}
