import Forge

/// Poolings of whole images and sequences.
enum KerasGlobalPoolings {
  static let classes: [KerasClass] = [
    .spatial("GlobalAveragePooling2D", "GlobalAvgPool2D") { layer throws(KerasFault) in
      try image(layer) { GlobalAveragePooling(name: $0) }
    },
    .spatial("GlobalMaxPooling2D", "GlobalMaxPool2D") { layer throws(KerasFault) in
      try image(layer) { GlobalMaxPooling(name: $0) }
    },
    KerasClass(
      ["GlobalAveragePooling1D", "GlobalAvgPool1D"], arguments: .byLayer, mask: .byLayer,
      training: .same,
      positions: .together, build: average),
    .spatial("GlobalMaxPooling1D", "GlobalMaxPool1D") { layer throws(KerasFault) in
      try sequence(layer) { GlobalMaxPooling1D(name: $0) }
    },
  ]

  private static func image(
    _ layer: KerasLayer, _ pooling: @escaping @Sendable (String) -> any Layer
  ) throws(KerasFault) -> KerasStep {
    let keepsAxes = try layer.config.flag("keepdims", default: false)
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only(rank: 3)
      return KerasTensor(
        tensor: try call.apply(pooling(call.name), to: input.tensor), rank: keepsAxes ? 3 : 1)
    }
    .arranged(for: layer)
  }

  /// The mean of a sequence, which applies a mask: `Σ m·x / Σ m`.
  private static func average(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let unmasked = try sequence(layer) { GlobalAveragePooling1D(name: $0) }
    let keepsAxes = try layer.config.flag("keepdims", default: false)
    return KerasStep { call throws(KerasFault) in
      let arguments = try KerasArguments(call, parameters: ["inputs", "mask"])
      let input = try call.only(rank: 2)
      guard let mask = try KerasMask.stated(arguments, call) ?? input.mask else {
        return try unmasked.run(call)
      }
      guard !layer.isChannelsFirst else { throw .unsupported("a mask of channels first") }
      let column = try KerasMask.column(mask, call)
      let visible = try call.apply(Multiply(), to: input.tensor, column)
      let sum = try call.apply(Reduce(.sum, axes: [0], keepsDimensions: true), to: visible)
      let count = try call.apply(Reduce(.sum, axes: [0], keepsDimensions: true), to: column)
      let mean = try call.apply(Divide(name: keepsAxes ? call.name : nil), to: sum, count)
      guard !keepsAxes else { return [KerasTensor(tensor: mean, rank: 2)] }
      let vector = try call.apply(
        Reshape(to: [1, 1, input.tensor.channels ?? -1], name: call.name), to: mean)
      return [KerasTensor(tensor: vector, rank: 1)]
    }
  }

  private static func sequence(
    _ layer: KerasLayer, _ pooling: @escaping @Sendable (String?) -> any Layer
  ) throws(KerasFault) -> KerasStep {
    let keepsAxes = try layer.config.flag("keepdims", default: false)
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only(rank: 2)
      let result = try call.apply(pooling(keepsAxes ? nil : call.name), to: input.tensor)
      guard keepsAxes, let channels = input.tensor.channels else {
        return KerasTensor(tensor: result, rank: 1)
      }
      return KerasTensor(
        tensor: try call.apply(Reshape(to: [1, channels], name: call.name), to: result), rank: 2)
    }
    .arranged(for: layer)
  }
}
