import Forge

/// Poolings with a moving window.
enum KerasPoolings {
  static let classes: [KerasClass] = [
    KerasClass(
      "MaxPooling2D", "MaxPool2D", arguments: .usual, mask: .lost, training: .same,
      positions: .together,
      build: { layer throws(KerasFault) in
        try pooling(layer, isMaximum: true)
      }),
    KerasClass(
      "AveragePooling2D", "AvgPool2D", arguments: .usual, mask: .lost, training: .same,
      positions: .together,
      build: { layer throws(KerasFault) in
        try pooling(layer, isMaximum: false)
      }),
    KerasClass(
      "MaxPooling1D", "MaxPool1D", arguments: .usual, mask: .lost, training: .same,
      positions: .together,
      build: { layer throws(KerasFault) in
        try pooling1D(layer, isMaximum: true)
      }),
    KerasClass(
      "AveragePooling1D", "AvgPool1D", arguments: .usual, mask: .lost, training: .same,
      positions: .together,
      build: { layer throws(KerasFault) in
        try pooling1D(layer, isMaximum: false)
      }),
  ]

  private static func pooling(
    _ layer: KerasLayer, isMaximum: Bool
  ) throws(KerasFault) -> KerasStep {
    let window = try layer.config.size("pool_size", default: (2, 2))
    let step = try layer.config.size("strides", default: window)
    let padding = try Padding(keras: layer)
    let kernel = (width: window.width, height: window.height)
    let stride = (x: step.width, y: step.height)
    return KerasStep.layer(rank: 3) { call -> any Layer in
      isMaximum
        ? MaxPooling(kernel: kernel, stride: stride, padding: padding, name: call.name)
        : AveragePooling(kernel: kernel, stride: stride, padding: padding, name: call.name)
    }
    .arranged(for: layer)
  }

  private static func pooling1D(
    _ layer: KerasLayer, isMaximum: Bool
  ) throws(KerasFault) -> KerasStep {
    let kernel = try layer.config.length("pool_size", "pool_length", default: 2)
    let stride = try layer.config.length("strides", "stride", default: kernel)
    let padding = try Padding1D(keras: layer)
    return KerasStep.layer(rank: 2) { call -> any Layer in
      isMaximum
        ? MaxPooling1D(kernel: kernel, stride: stride, padding: padding, name: call.name)
        : AveragePooling1D(kernel: kernel, stride: stride, padding: padding, name: call.name)
    }
    .arranged(for: layer)
  }
}
