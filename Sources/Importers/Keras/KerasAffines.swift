import Forge

/// Scales and shifts of values by channel.
enum KerasAffines {
  static let classes: [KerasClass] = [
    .positionwise("Rescaling", masksSince: 3, build: rescaling),
    .positionwise("Normalization", masksSince: 3, build: normalization),
  ]

  private static func rescaling(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    for name in ["scale", "offset"] {
      var value = layer.config[name]
      // Axes of size 1 before the channels repeat.
      while let list = value?.array, list.contains(where: { $0.array != nil }) {
        guard list.count == 1 else { throw .unsupported("a \(name) that differs along other axes") }
        value = list[0]
      }
    }
    let scale = try layer.config.numbers("scale") ?? [1]
    let offset = try layer.config.numbers("offset") ?? [0]
    return .layer { Scale(by: scale, bias: offset, name: $0.name) }
  }

  /// `(x − mean) / max(√variance, 1e-7)`, or its inverse.
  private static func normalization(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let axes = try layer.config.integers("axis") ?? []
    let isInverse = try layer.config.flag("invert", default: false)
    var mean = try layer.config.numbers("mean", "input_mean")
    var variance = try layer.config.numbers("variance", "input_variance")
    if mean == nil || variance == nil {
      mean = try layer.file.values.floats("mean", number: 0, of: layer)
      variance = try layer.file.values.floats("variance", number: 1, of: layer)
    }
    let means = mean ?? []
    let deviations = (variance ?? []).map { max($0.squareRoot(), 1e-7) }
    guard axes.count <= 1, !means.isEmpty, !deviations.isEmpty else {
      throw .unsupported("several axes")
    }
    func element(_ values: [Float], _ index: Int) -> Float {
      values.count == 1 ? values[0] : values[index]
    }
    let count = max(means.count, deviations.count)
    guard means.count == 1 || means.count == count,
      deviations.count == 1 || deviations.count == count
    else {
      throw .invalid(
        "the mean and the variance have different sizes", received: "\(means.count)",
        needs: "\(deviations.count)")
    }
    let shifts = (0..<count).map { element(means, $0) }
    let scales = (0..<count).map { element(deviations, $0) }
    return .one { call throws(KerasFault) in
      let input = try call.only()
      if let axis = axes.first {
        let forgeAxis = try input.axis(axis)
        guard forgeAxis == (input.rank == 1 ? 2 : input.rank - 1) else {
          throw .unsupported("axis \(axis)")
        }
      }
      if isInverse {
        let scale = Scale(by: scales, bias: shifts, name: call.name)
        return try call.apply(scale, to: input)
      }
      // The difference is taken first, because a large mean would cancel digits of the product.
      let difference = try call.apply(Subtract(constant: shifts), to: input.tensor)
      let scale = Multiply(constant: scales.map { 1 / $0 }, name: call.name)
      return KerasTensor(tensor: try call.apply(scale, to: difference), rank: input.rank)
    }
  }
}
