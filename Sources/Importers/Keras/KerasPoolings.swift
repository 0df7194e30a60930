import Forge

/// Poolings with a moving window.
enum KerasPoolings {
  static let classes: [KerasClass] = [
    pooling("MaxPooling2D", "MaxPool2D", axes: 2, isMaximum: true),
    pooling("AveragePooling2D", "AvgPool2D", axes: 2, isMaximum: false),
    pooling("MaxPooling1D", "MaxPool1D", axes: 1, isMaximum: true),
    pooling("AveragePooling1D", "AvgPool1D", axes: 1, isMaximum: false),
  ]

  private static func pooling(
    _ name: String, _ short: String, axes: Int, isMaximum: Bool
  ) -> KerasClass {
    .spatial(name, short) { layer throws(KerasFault) in
      let config = layer.config
      let (kernel, stride): ([Int], [Int])
      if axes == 1 {
        kernel = [try config.length("pool_size", "pool_length", default: 2)]
        stride = [try config.length("strides", "stride", default: kernel[0])]
      } else {
        let window = try config.size("pool_size", default: (2, 2))
        let step = try config.size("strides", default: window)
        (kernel, stride) = ([window.height, window.width], [step.height, step.width])
      }
      let isSame = try Padding(keras: layer) == .same
      return KerasStep.layer(rank: axes + 1) { call in
        pool(isMaximum: isMaximum, kernel, by: stride, isSame: isSame, name: call.name)
      }
      .arranged(for: layer)
    }
  }

  /// A pooling of sequences or images.
  ///
  /// - Parameters:
  ///   - isMaximum: whether the result is the maximum of a window, or its mean.
  ///   - kernel: the length of the window along each axis.
  ///   - stride: the distance of windows along each axis.
  ///   - isSame: whether there are as many windows as places for them.
  ///   - name: the name of the layer.
  /// - Returns: the layer.
  static func pool(
    isMaximum: Bool, _ kernel: [Int], by stride: [Int], isSame: Bool, name: String
  ) -> any Layer {
    if kernel.count == 1 {
      let padding = isSame ? Padding1D.same : .valid
      return isMaximum
        ? MaxPooling1D(kernel: kernel[0], stride: stride[0], padding: padding, name: name)
        : AveragePooling1D(kernel: kernel[0], stride: stride[0], padding: padding, name: name)
    }
    let size = (width: kernel[1], height: kernel[0])
    let step = (x: stride[1], y: stride[0])
    let padding = isSame ? Padding.same : .valid
    return isMaximum
      ? MaxPooling(kernel: size, stride: step, padding: padding, name: name)
      : AveragePooling(kernel: size, stride: step, padding: padding, name: name)
  }
}
