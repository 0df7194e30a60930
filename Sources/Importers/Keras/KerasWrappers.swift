import Forge
import ForgeLoaders

/// Layers around one other layer.
enum KerasWrappers {
  static let makers: [String: KerasCatalog.Maker] = ["TimeDistributed": timeDistributed]

  /// Layers that do the same to a whole tensor as to each step of it: they act on the last axis or
  /// on single values.
  private static let lastAxis: Set<String> = [
    "Dense", "Activation", "ReLU", "LeakyReLU", "ELU", "Rescaling", "Dropout", "GaussianNoise",
    "Identity", "BatchNormalization",
  ]

  private static func timeDistributed(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let json = layer.config["layer"], let kind = json["class_name"]?.text else {
      throw .invalid("the description lacks an argument", needs: "layer")
    }
    let inner = layer.with(
      kind: KerasModelDescription.className(kind), config: KerasConfig(json["config"]))
    if inner.kind == "Flatten", !inner.isChannelsFirst {
      return .one { call throws(KerasFault) in
        let input = try call.only()
        let sizes = try input.knownSizes("known sizes to flatten each step")
        let each = sizes.dropFirst().reduce(1, *)
        let reshape = input.tensor.reshape(
          to: KerasTensor.forgeSizes([sizes[0], each]), name: call.name)
        return KerasTensor(tensor: try call.apply(reshape, to: input.tensor), rank: 2)
      }
    }
    let axes = try inner.config.integers("axis")
    guard lastAxis.contains(inner.kind), axes == nil || axes == [-1] else {
      throw .unsupported("a layer \(inner.kind)")
    }
    return try KerasCatalog.step(for: inner)
  }
}
