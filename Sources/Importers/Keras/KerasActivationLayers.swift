import Forge

/// Activations as layers.
enum KerasActivationLayers {
  static let classes: [KerasClass] = [
    .positionwise("Activation", build: activation),
    .positionwise("ReLU", build: relu),
    .positionwise("LeakyReLU", build: leakyRelu),
    KerasClass(
      ["PReLU"], arguments: .usual, mask: .passed(since: 1), training: .same,
      positions: .together, build: prelu),
    .positionwise("ELU", build: elu),
    .positionwise("ThresholdedReLU", build: thresholdedRelu),
    KerasClass(
      ["Softmax"], arguments: .first(["inputs", "mask"]), mask: .byLayer, training: .same,
      positions: .apart, build: softmax),
  ]

  private static func activation(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    try KerasActivation.stated(by: layer).step
  }

  private static func relu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let maximum = try layer.config.optionalNumber("max_value")
    let slope = try layer.config.number("negative_slope", default: 0)
    let threshold = try layer.config.number("threshold", default: 0)
    return try relu(maximum: maximum, slope: slope, threshold: threshold)
  }

  /// `min(x, maximum)` above the threshold, `slope·(x − threshold)` below it.
  static func relu(
    maximum: Float?, slope: Float, threshold: Float
  ) throws(KerasFault) -> KerasStep {
    guard threshold == 0 else {
      return try thresholded(maximum: maximum, slope: slope, threshold: threshold)
    }
    switch (slope, maximum) {
    case (0, nil): return .layer { Activation(.relu, name: $0.name) }
    case (0, 6?): return .layer { Activation(.relu6, name: $0.name) }
    case (0, let maximum?):
      return .layer { Activation(.clipped(minimum: 0, maximum: maximum), name: $0.name) }
    case (_, nil): return .layer { Activation(.leakyReLU(slope: slope), name: $0.name) }
    case (_, let maximum?):
      return .one { call throws(KerasFault) in
        let input = try call.only()
        let leaky = try call.apply(Activation(.leakyReLU(slope: slope)), to: input.tensor)
        let clip = Activation(.clipped(minimum: -.infinity, maximum: maximum), name: call.name)
        return KerasTensor(tensor: try call.apply(clip, to: leaky), rank: input.rank)
      }
    }
  }

  /// A function of two pieces around a threshold that is not 0.
  private static func thresholded(
    maximum: Float?, slope: Float, threshold: Float
  ) throws(KerasFault) -> KerasStep {
    if slope == 0, maximum == nil {
      return .layer { Unary(.thresholdedReLU(alpha: threshold), name: $0.name) }
    }
    return .one { call throws(KerasFault) in
      let input = try call.only()
      let pieces =
        slope == 0
        ? try call.apply(Unary(.thresholdedReLU(alpha: threshold)), to: input.tensor)
        : try bent(input.tensor, slope: slope, threshold: threshold, call)
      let clip = Activation(
        .clipped(minimum: -.infinity, maximum: maximum ?? .infinity), name: call.name)
      return KerasTensor(tensor: try call.apply(clip, to: pieces), rank: input.rank)
    }
  }

  /// `x` above the threshold, `slope·(x − threshold)` below it: a leaky ReLU of `x − threshold`,
  /// raised by the threshold where it is above 0.
  private static func bent(
    _ x: Tensor, slope: Float, threshold: Float, _ call: KerasCall
  ) throws(KerasFault) -> Tensor {
    let shifted = try call.apply(Add(constant: [-threshold]), to: x)
    let leaky = try call.apply(Activation(.leakyReLU(slope: slope)), to: shifted)
    let isAbove = try call.apply(Compare(.greater, than: [threshold]), to: x)
    let raised = try call.apply(Multiply(constant: [threshold]), to: isAbove)
    return try call.apply(Add(), to: leaky, raised)
  }

  /// The layer of Keras 1 and 2: `x` above the threshold, 0 below it.
  private static func thresholdedRelu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    try relu(maximum: nil, slope: 0, threshold: try layer.config.number("theta", default: 1))
  }

  private static func leakyRelu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let slope = try layer.config.number("negative_slope", "alpha", default: 0.3)
    return .layer { Activation(.leakyReLU(slope: slope), name: $0.name) }
  }

  private static func elu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let alpha = try layer.config.number("alpha", default: 1)
    return .layer { Activation(.elu(alpha: alpha), name: $0.name) }
  }

  private static func prelu(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let shared = try layer.config.integers("shared_axes") ?? []
    return .one { call throws(KerasFault) in
      let input = try call.only()
      guard let shape = input.tensor.shape, 1...3 ~= input.rank else {
        throw .unsupported("\(input.rank) axes besides the batch")
      }
      var axes: Set<Axis> = []
      for axis in shared {
        let forgeAxis = try input.axis(axis)
        axes.insert(shape.axes[forgeAxis])
      }
      return try call.apply(PReLU(shared: axes, name: layer.path), to: input)
    }
  }

  private static func softmax(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let axes = try layer.config.integers("axis") ?? [-1]
    guard axes.count == 1 else { throw .unsupported("several axes") }
    return .one { call throws(KerasFault) in
      let input = try call.only()
      try KerasMask.refuse(call)
      return KerasTensor(
        tensor: try KerasSoftmax.softmax(of: input, axis: axes[0], call), rank: input.rank)
    }
  }
}

/// The softmax along any axis.
enum KerasSoftmax {
  static func softmax(
    of input: KerasTensor, axis: Int, _ call: KerasCall
  ) throws(KerasFault) -> Tensor {
    let forgeAxis = try input.axis(axis)
    let last = (input.tensor.shape?.rank ?? 1) - 1
    let softmax =
      forgeAxis == last ? Softmax(name: call.name) : Softmax(axis: forgeAxis, name: call.name)
    return try call.apply(softmax, to: input.tensor)
  }
}
