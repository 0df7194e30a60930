import Forge

/// Poolings of whole images and sequences.
enum KerasGlobalPoolings {
  static let makers: [String: KerasCatalog.Maker] = [
    "GlobalAveragePooling2D": { layer throws(KerasFault) in
      try image(layer) { GlobalAveragePooling(name: $0) }
    },
    "GlobalAvgPool2D": { layer throws(KerasFault) in
      try image(layer) { GlobalAveragePooling(name: $0) }
    },
    "GlobalMaxPooling2D": { layer throws(KerasFault) in
      try image(layer) { GlobalMaxPooling(name: $0) }
    },
    "GlobalMaxPool2D": { layer throws(KerasFault) in
      try image(layer) { GlobalMaxPooling(name: $0) }
    },
    "GlobalAveragePooling1D": { layer throws(KerasFault) in
      try sequence(layer) { GlobalAveragePooling1D(name: $0) }
    },
    "GlobalAvgPool1D": { layer throws(KerasFault) in
      try sequence(layer) { GlobalAveragePooling1D(name: $0) }
    },
    "GlobalMaxPooling1D": { layer throws(KerasFault) in
      try sequence(layer) { GlobalMaxPooling1D(name: $0) }
    },
    "GlobalMaxPool1D": { layer throws(KerasFault) in
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
