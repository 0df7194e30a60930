import Forge

/// Layers that add or cut borders.
enum KerasBorders {
  static let classes: [KerasClass] = [
    .spatial("ZeroPadding2D") { layer throws(KerasFault) in
      try image(layer, "padding", crops: false)
    },
    .spatial("Cropping2D") { layer throws(KerasFault) in
      try image(layer, "cropping", crops: true)
    },
    .spatial("ZeroPadding1D") { layer throws(KerasFault) in
      try sequence(layer, "padding", crops: false)
    },
    .spatial("Cropping1D") { layer throws(KerasFault) in
      try sequence(layer, "cropping", crops: true)
    },
  ]

  private static func image(
    _ layer: KerasLayer, _ argument: String, crops: Bool
  ) throws(KerasFault) -> KerasStep {
    let edges = try layer.config.borders(argument, axes: 2)
    return KerasStep.layer(rank: 3) { call -> any Layer in
      bordering(edges[0], edges[1], crops: crops, name: call.name)
    }
    .arranged(for: layer)
  }

  private static func bordering(
    _ rows: (before: Int, after: Int), _ columns: (before: Int, after: Int), crops: Bool,
    name: String?
  ) -> any Layer {
    crops
      ? Crop(
        top: rows.before, left: columns.before, bottom: rows.after, right: columns.after, name: name
      )
      : ZeroPadding(
        top: rows.before, left: columns.before, bottom: rows.after, right: columns.after, name: name
      )
  }

  /// A sequence is an image of one row.
  private static func sequence(
    _ layer: KerasLayer, _ argument: String, crops: Bool
  ) throws(KerasFault) -> KerasStep {
    let edges = try layer.config.borders(argument, axes: 1)
    return KerasStep.one { call throws(KerasFault) in
      try call.asRow { row throws(KerasFault) in
        try call.apply(bordering((0, 0), edges[0], crops: crops, name: nil), to: row)
      }
    }
    .arranged(for: layer)
  }
}

extension KerasCall {
  /// Applies layers of images to the only input, a sequence, as an image of one row.
  func asRow(
    _ body: (Tensor) throws(KerasFault) -> Tensor
  ) throws(KerasFault) -> KerasTensor {
    let sizes = try only(rank: 2).knownSizes("a known length of the sequence")
    let result = try body(
      try apply(inputs[0].tensor.reshape(to: [1] + sizes), to: inputs[0].tensor))
    return KerasTensor(
      tensor: try apply(Reshape(to: [-1, sizes[1]], name: name), to: result), rank: 2)
  }
}
