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

  /// Layers of the images or the sequences that each step holds.
  private static let windows: Set<String> = [
    "Conv1D", "Conv2D", "DepthwiseConv1D", "DepthwiseConv2D", "SeparableConv1D",
    "SeparableConv2D", "Conv1DTranspose", "Conv2DTranspose", "MaxPooling1D", "MaxPooling2D",
    "AveragePooling1D", "AveragePooling2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "UpSampling1D", "UpSampling2D",
    "ZeroPadding1D", "ZeroPadding2D", "Cropping1D", "Cropping2D",
  ]

  /// The most steps, each of which is computed by layers of its own.
  private static let mostTimes = 1024

  /// A step for each time, with the same parameters.
  private static func eachTime(_ step: KerasStep) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let sizes = try input.knownSizes("a known number of steps")
      guard sizes.count >= 2, (1...mostTimes).contains(sizes[0]),
        input.tensor.lengths.maximum == nil
      else { throw .unsupported("\(sizes.first ?? 0) steps, or steps whose number varies") }
      let each = Array(sizes.dropFirst())
      var parts: [Tensor] = []
      var rank = 0
      for time in 0..<sizes[0] {
        let slice = try call.apply(
          Slice(starts: [time], ends: [time + 1], axes: [0]), to: input.tensor)
        let own = try call.apply(Reshape(to: KerasTensor.forgeSizes(each)), to: slice)
        let results = try step.run(
          call.with(
            inputs: [KerasTensor(tensor: own, rank: each.count)], name: "\(call.name)/\(time)"))
        guard let result = results.first, results.count == 1 else { throw .unsupported(nil) }
        rank = result.rank
        let made = try result.knownSizes("a known size of each step")
        parts.append(try call.apply(Reshape(to: [1] + made), to: result.tensor))
      }
      let all =
        parts.count == 1
        ? parts[0] : try call.apply(Concatenate(axis: 0, name: "\(call.name)/steps"), to: parts)
      return KerasTensor(tensor: all, rank: rank + 1)
    }
  }

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
    if windows.contains(inner.kind) { return try eachTime(KerasCatalog.step(for: inner)) }
    let axes = try inner.config.integers("axis")
    guard lastAxis.contains(inner.kind), axes == nil || axes == [-1] else {
      throw .unsupported("a layer \(inner.kind)")
    }
    return try KerasCatalog.step(for: inner)
  }
}
