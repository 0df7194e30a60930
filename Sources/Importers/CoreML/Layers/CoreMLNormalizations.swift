import Forge
import ForgeMessages

/// Normalisations, scales and biases.
enum CoreMLNormalizations {
  static func batch(_ call: inout CoreMLCall, _ layer: CoreMLBatchNormalization) throws {
    let input = try call.image()
    let channels = try CoreMLCall.size(layer.channels)
    guard input.tensor.channels == channels else {
      throw NodeFailure.invalid("\(channels) channels on \(input.sizes)")
    }
    func isGiven(_ weights: CoreMLWeights) -> Bool {
      !weights.floatValue.isEmpty || !weights.float16Value.isEmpty || !weights.rawValue.isEmpty
    }
    let (hasGamma, hasBeta) = (isGiven(layer.gamma), isGiven(layer.beta))
    if hasGamma { call.parameter(.gamma, try layer.gamma.tensor([channels])) }
    if hasBeta { call.parameter(.beta, try layer.beta.tensor([channels])) }
    let epsilon = CoreMLCall.epsilon(layer.epsilon, usual: 1e-5)
    // The statistics of a batch are those of its only example.
    guard !layer.computesMeanVariance else {
      return try call.mapImage(
        InstanceNormalization(
          epsilon: epsilon, center: hasBeta, scale: hasGamma, name: call.name))
    }
    call.parameter(.mean, try layer.mean.tensor([channels]))
    call.parameter(.variance, try layer.variance.tensor([channels]))
    try call.mapImage(
      BatchNormalization(epsilon: epsilon, center: hasBeta, scale: hasGamma, name: call.name))
  }

  static func meanVariance(_ call: inout CoreMLCall, _ layer: CoreMLMeanVariance) throws {
    let input = try call.image()
    guard layer.normalizesVariance else {
      let mean =
        layer.acrossChannels
        ? try call.apply(
          Reduce(.mean, axes: [0, 1, 2], keepsDimensions: true), to: input.tensor)
        : try call.apply(GlobalAveragePooling(), to: input.tensor)
      return call.setImage(
        try call.apply(Subtract(name: call.name), to: input.tensor, mean), rank: input.rank)
    }
    let epsilon = CoreMLCall.epsilon(layer.epsilon)
    let normalization: any Layer =
      layer.acrossChannels
      ? LayerNormalization(
        axes: [0, 1, 2], epsilon: epsilon, center: false, scale: false, name: call.name)
      : InstanceNormalization(epsilon: epsilon, center: false, scale: false, name: call.name)
    try call.mapImage(normalization)
  }

  static func layer(_ call: inout CoreMLCall, _ layer: CoreMLLayerNormalization) throws {
    let input = try call.network()
    let sizes = layer.shape.map { Int($0) }
    guard !sizes.isEmpty, Array(input.sizes.suffix(sizes.count)) == sizes else {
      throw NodeFailure.invalid("normalizedShape \(sizes) on \(input.sizes)")
    }
    call.parameter(.gamma, try layer.gamma.tensor(sizes), layout: .forge)
    call.parameter(.beta, try layer.beta.tensor(sizes), layout: .forge)
    let layout = FileTensor.fileLayout(input.sizes)
    let axes = Array((input.rank - sizes.count)..<input.rank)
    let epsilon = CoreMLCall.epsilon(layer.epsilon, usual: 1e-5)
    call.set(
      FileTensor(
        try call.apply(
          LayerNormalization(axes: axes, epsilon: epsilon, name: call.name),
          to: input.tensor(as: layout)), layout: layout, rank: input.rank))
  }

  static func localResponse(_ call: inout CoreMLCall, _ layer: CoreMLLocalResponse) throws {
    try call.mapImage(
      LocalResponseNormalization(
        size: try CoreMLCall.size(layer.size), alpha: layer.alpha, beta: layer.beta,
        bias: layer.k == 0 ? 1 : layer.k, name: call.name))
  }

  /// `x / √(Σx² + epsilon)` over channels, height and width.
  static func euclidean(_ call: inout CoreMLCall, _ layer: CoreMLPair) throws {
    let input = try call.image()
    let sum = try call.apply(
      Reduce(.sumOfSquares, axes: [0, 1, 2], keepsDimensions: true), to: input.tensor)
    let factor = try call.apply(
      Unary(.reciprocalSquareRoot),
      to: try call.apply(Scale(1, bias: CoreMLCall.epsilon(layer.alpha)), to: sum))
    call.setImage(
      try call.apply(Multiply(name: call.name), to: input.tensor, factor), rank: input.rank)
  }

  static func softmax(_ call: inout CoreMLCall, axis: Int64) throws {
    let input = try call.network()
    let axis = try CoreMLCall.axis(axis, rank: input.rank)
    let layout = input.layout(endingIn: axis)
    let result = try call.apply(Softmax(name: call.name), to: input.tensor(as: layout))
    call.set(FileTensor(result, layout: layout, rank: input.rank))
  }

  // MARK: Scale and bias

  static func scale(_ call: inout CoreMLCall, _ layer: CoreMLScaling) throws {
    let factors = try stored(layer.scale, layer.scaleShape)
    let bias = layer.hasBias ? try stored(layer.bias, layer.biasShape) : nil
    try affine(&call, factors, bias)
  }

  static func bias(_ call: inout CoreMLCall, _ layer: CoreMLStored) throws {
    try affine(&call, nil, try stored(layer.values, layer.shape))
  }

  /// Values of sizes [1], [C], [C, 1, 1], [1, H, W] or [C, H, W].
  private static func stored(_ weights: CoreMLWeights, _ shape: [UInt64]) throws -> HostTensor {
    var sizes = try CoreMLCall.sizes(shape)
    guard [1, 3].contains(sizes.count) else {
      throw NodeFailure.invalid("a scale or bias of sizes \(sizes)")
    }
    if sizes.count == 1 { sizes += [1, 1] }
    return try weights.tensor(sizes)
  }

  /// The first input, multiplied and moved by constants.
  private static func affine(
    _ call: inout CoreMLCall, _ factors: HostTensor?, _ bias: HostTensor?
  ) throws {
    let input = try call.image()
    // One value or one per channel is folded into the layers around it.
    if [factors, bias].allSatisfy({ $0?.sizes.suffix(2) ?? [1, 1] == [1, 1] }) {
      return try call.mapImage(
        Scale(
          by: try factors?.floats() ?? [1], bias: try bias?.floats() ?? [0], name: call.name))
    }
    var result = input.tensor
    let layout: [Int?] = [1, 2, 0]
    if let factors {
      result = try call.apply(
        Multiply(), to: result, try CoreMLCall.constant(factors, layout: layout).tensor)
    }
    if let bias {
      result = try call.apply(
        Add(), to: result, try CoreMLCall.constant(bias, layout: layout).tensor)
    }
    call.setImage(result, rank: input.rank)
  }
}
