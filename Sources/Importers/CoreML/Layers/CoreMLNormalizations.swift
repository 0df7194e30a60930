import Forge

extension CoreMLLayerType {
  /// Normalizations, scales and biases.
  static let normalizations: [CoreMLLayerType] = [
    CoreMLLayerType("batchnorm", field: 160, batchNormalize),
    CoreMLLayerType("mvn", field: 165, meanVarianceNormalize),
    CoreMLLayerType("l2normalize", field: 170) { call in
      // `x / √(Σx² + epsilon)` over channels, height and width.
      let input = try call.image()
      let sum = try call.node("ReduceSumSquare", [input], ["axes": .ints([1, 2, 3])])
      let epsilon = FileValue.number(try call.epsilon(1))
      let root = try call.node("Sqrt", [try call.node("Add", [sum, epsilon])])
      try call.set(image: try call.node("Div", [input, root]))
    },
    CoreMLLayerType("softmax", field: 175) { try $0.map("Softmax", [], ["axis": .int(-3)]) },
    CoreMLLayerType("softmaxND", field: 950) { call in
      try call.map("Softmax", [], ["axis": .int(try call.fields.int(1))])
    },
    CoreMLLayerType("lrn", field: 180) { call in
      let (alpha, beta, size, k) = (1, 2, 3, 4)
      let bias = try call.fields.float(k)
      try call.mapImage(
        "LRN", [],
        [
          "alpha": .float(try call.fields.float(alpha)),
          "beta": .float(try call.fields.float(beta)),
          "size": .int(try call.size(size)), "bias": .float(bias == 0 ? 1 : bias),
        ])
    },
    CoreMLLayerType("scale", field: 245) { call in
      let (scaleShape, scale, hasBias, biasShape, bias) = (1, 2, 3, 4, 5)
      let factors = try affineValues(call, scale, sizes: scaleShape)
      var result = try call.node("Mul", [try call.image(), factors])
      if try call.fields.bool(hasBias) {
        result = try call.node("Add", [result, try affineValues(call, bias, sizes: biasShape)])
      }
      try call.set(image: result)
    },
    CoreMLLayerType("bias", field: 250) { call in
      try call.mapImage("Add", [try affineValues(call, 2, sizes: 1)])
    },
    CoreMLLayerType("layerNormalization", field: 1350) { call in
      let (shape, epsilon, gamma, beta) = (1, 2, 3, 4)
      let input = try call.value()
      let sizes = try call.fields.ints(shape)
      guard !sizes.isEmpty, Array(input.sizes.suffix(sizes.count)) == sizes else {
        throw NodeFailure.invalid("normalizedShape \(sizes) on \(input.sizes)")
      }
      let parameters = try [gamma, beta].map {
        FileValue.host(try call.weights($0).tensor(sizes))
      }
      try call.map(
        "LayerNormalization", parameters,
        [
          "axis": .int(-sizes.count), "epsilon": .float(try call.epsilon(epsilon, usual: 1e-5)),
        ])
    },
  ]

  /// Fields of `BatchnormLayerParams`.
  private enum BatchField {
    static let (channels, computesMeanVariance, epsilon) = (1, 5, 10)
    static let (gamma, beta, mean, variance) = (15, 16, 17, 18)
  }

  private static func batchNormalize(_ call: inout CoreMLCall) throws {
    typealias Field = BatchField
    let input = try call.image()
    let channels = try call.size(Field.channels)
    guard input.sizes[1] == channels else {
      throw NodeFailure.invalid("\(channels) channels on \(input.sizes)")
    }
    func values(_ field: Int, absent: Float) throws -> FileValue {
      let weights = try call.weights(field)
      guard weights.isGiven else {
        return .host(HostTensor(type: .float32, sizes: [channels], storage: .repeated(absent)))
      }
      return .host(try weights.tensor([channels]))
    }
    let epsilon = NodeAttribute.float(try call.epsilon(Field.epsilon, usual: 1e-5))
    var parameters = [try values(Field.gamma, absent: 1), try values(Field.beta, absent: 0)]
    // The statistics of a batch are those of its only example.
    guard try !call.fields.bool(Field.computesMeanVariance) else {
      return try call.mapImage("InstanceNormalization", parameters, ["epsilon": epsilon])
    }
    for field in [Field.mean, Field.variance] {
      parameters.append(.host(try call.weights(field).tensor([channels])))
    }
    try call.mapImage("BatchNormalization", parameters, ["epsilon": epsilon])
  }

  private static func meanVarianceNormalize(_ call: inout CoreMLCall) throws {
    let (acrossChannels, normalizesVariance, epsilon) = (1, 2, 3)
    let axes = try call.fields.bool(acrossChannels) ? [1, 2, 3] : [2, 3]
    guard try call.fields.bool(normalizesVariance) else {
      let image = try call.image()
      let mean = try call.node("ReduceMean", [image], ["axes": .ints(axes)])
      return try call.set(image: try call.node("Sub", [image, mean]))
    }
    let least = try call.epsilon(epsilon)
    // ONNX's normalization of several axes has no epsilon of the caller's.
    try call.mapImage("MeanVarianceNormalization") { node in
      let image = try node.network(0)
      let name = node.layerName
      let layer: any Layer =
        axes.count == 3
        ? LayerNormalization(
          axes: [0, 1, 2], epsilon: least, center: false, scale: false, name: name)
        : InstanceNormalization(epsilon: least, center: false, scale: false, name: name)
      let layout: [Int?] = [2, 3, 1]
      let result = try node.apply(layer, to: image.tensor(as: layout))
      node.set(FileTensor(result, sizes: image.sizes, layout: layout))
    }
  }

  /// Values of sizes [1], [C], [C, 1, 1], [1, H, W] or [C, H, W].
  private static func affineValues(
    _ call: CoreMLCall, _ field: Int, sizes shape: Int
  ) throws -> FileValue {
    var sizes = try call.sizes(shape)
    guard [1, 3].contains(sizes.count) else {
      throw NodeFailure.invalid("a scale or bias of sizes \(sizes)")
    }
    if sizes.count == 1 { sizes += [1, 1] }
    return .host(try call.weights(field).tensor(sizes))
  }
}
