import Forge

/// Normalizations with trained scales and shifts, and to unit length.
enum KerasNormalizations {
  static let classes: [KerasClass] = [
    KerasClass(
      ["BatchNormalization", "SyncBatchNormalization"], arguments: .usual, mask: .passed(since: 1),
      training: .different,
      positions: .apart, build: batch),
    .positionwise("LayerNormalization", build: layerNormalization),
    KerasClass(
      ["GroupNormalization"], arguments: .usual, mask: .passed(since: 1), training: .same,
      positions: .together, build: group),
    .positionwise("UnitNormalization", build: unit),
    KerasClass(
      ["RMSNormalization"], arguments: .usual, mask: .lost, training: .same,
      positions: .apart, build: rootMeanSquare),
  ]

  /// The axis of a normalization by channel; lists of one are usual.
  private static func axis(_ layer: KerasLayer) throws(KerasFault) -> Int {
    let axes = try layer.config.integers("axis") ?? [-1]
    guard axes.count == 1 else { throw .unsupported("several axes") }
    return axes[0]
  }

  /// A normalization by channel, whose channels are last, or first between two transpositions.
  private static func byChannel(_ step: KerasStep, axis: Int) -> KerasStep {
    KerasStep { call throws(KerasFault) in
      let input = try call.only()
      let forgeAxis = try input.axis(axis)
      if forgeAxis == (input.rank == 1 ? 2 : input.rank - 1) { return try step.run(call) }
      guard forgeAxis == 0 else { throw .unsupported("axis \(axis)") }
      return try step.onChannelsFirst.run(call)
    }
  }

  private static func batch(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    guard try config.integer("mode", default: 0) == 0 else { throw .unsupported("mode") }
    let axis = try axis(layer)
    let epsilon = try config.number("epsilon", default: layer.generation == 1 ? 1e-5 : 1e-3)
    let center = try config.flag("center", default: true)
    let scale = try config.flag("scale", default: true)
    let step = KerasStep.layer { _ in
      BatchNormalization(epsilon: epsilon, center: center, scale: scale, name: layer.path)
    }
    return byChannel(step, axis: axis)
  }

  private static func layerNormalization(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    guard try !config.flag("rms_scaling", default: false) else { throw .unsupported("rms_scaling") }
    let axes = try config.integers("axis") ?? [-1]
    let epsilon = try config.number("epsilon", default: 1e-3)
    let center = try config.flag("center", default: true)
    let scale = try config.flag("scale", default: true)
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      let normalization = LayerNormalization(
        axes: try input.axes(axes), epsilon: epsilon, center: center, scale: scale, name: layer.path
      )
      return try call.apply(normalization, to: input)
    }
  }

  private static func rootMeanSquare(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let axes = try layer.config.integers("axis") ?? [-1]
    let epsilon = try layer.config.number("epsilon", default: 1e-6)
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      let last = input.rank == 1 ? 2 : input.rank - 1
      guard axes.count == 1, try input.axis(axes[0]) == last else {
        throw .unsupported("axis \(axes)")
      }
      return try call.apply(RMSNormalization(epsilon: epsilon, name: layer.path), to: input)
    }
  }

  private static func group(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let groups = try config.integer("groups", default: 32)
    let axis = try axis(layer)
    let epsilon = try config.number("epsilon", default: 1e-3)
    let center = try config.flag("center", default: true)
    let scale = try config.flag("scale", default: true)
    let step = KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      // Keras has one group per channel as −1.
      guard let channels = input.tensor.channels else {
        throw .unsupported("an unknown number of channels")
      }
      let normalization = GroupNormalization(
        groups: groups == -1 ? channels : groups, epsilon: epsilon, center: center, scale: scale,
        name: layer.path)
      return try call.apply(normalization, to: input)
    }
    return byChannel(step, axis: axis)
  }

  private static func unit(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let axes = try layer.config.integers("axis") ?? [-1]
    return KerasStep.one { call throws(KerasFault) in
      let input = try call.only()
      let layer = L2Normalize(axes: try input.axes(axes), epsilon: 1e-12, name: call.name)
      return try call.apply(layer, to: input)
    }
  }
}
