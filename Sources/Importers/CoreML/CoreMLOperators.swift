import Forge

/// The layers of Core ML that Forge has.
enum CoreMLOperators {
  /// Builds one layer.
  ///
  /// - Throws: ``NodeFailure``.
  static func build(_ call: inout CoreMLCall) throws {
    switch call.layer.kind {
    case .convolution(let layer): try CoreMLWindows.convolve(&call, layer)
    case .pooling(let layer): try CoreMLWindows.pool(&call, layer)
    case .activation(let layer): try CoreMLActivations.apply(&call, layer)
    case .innerProduct(let layer): try CoreMLProducts.innerProduct(&call, layer)
    case .batchedMatmul(let layer): try CoreMLProducts.batchedProduct(&call, layer)
    case .batchnorm(let layer): try CoreMLNormalizations.batch(&call, layer)
    case .mvn(let layer): try CoreMLNormalizations.meanVariance(&call, layer)
    case .l2Normalize(let layer): try CoreMLNormalizations.euclidean(&call, layer)
    case .lrn(let layer): try CoreMLNormalizations.localResponse(&call, layer)
    case .layerNormalization(let layer): try CoreMLNormalizations.layer(&call, layer)
    case .softmax: try CoreMLNormalizations.softmax(&call, axis: -3)
    case .softmaxNd(let layer): try CoreMLNormalizations.softmax(&call, axis: layer.axis)
    case .scale(let layer): try CoreMLNormalizations.scale(&call, layer)
    case .bias(let layer): try CoreMLNormalizations.bias(&call, layer)
    case .crop(let layer): try CoreMLImages.crop(&call, layer)
    case .padding(let layer): try CoreMLImages.pad(&call, layer)
    case .constantPad(let layer): try CoreMLImages.padExact(&call, layer)
    case .upsample(let layer): try CoreMLImages.upsample(&call, layer)
    case .resizeBilinear(let layer): try CoreMLImages.resize(&call, layer)
    case .reorganizeData(let layer): try CoreMLImages.reorganize(&call, layer)
    case .embedding(let layer): try CoreMLEmbeddings.embed(&call, layer)
    case .embeddingNd(let layer): try CoreMLEmbeddings.embedLast(&call, layer)
    case .simpleRecurrent(let layer): try CoreMLRecurrent.simple(&call, layer)
    case .gru(let layer): try CoreMLRecurrent.gru(&call, layer)
    case .uniDirectionalLstm(let layer): try CoreMLRecurrent.lstm(&call, layer)
    case .biDirectionalLstm(let layer): try CoreMLRecurrent.bidirectional(&call, layer)
    default:
      if try buildMovement(&call) { return }
      if try buildArithmetic(&call) { return }
      if try buildFunction(&call) { return }
      if try buildReduction(&call) { return }
      throw NodeFailure.unsupported(nil)
    }
  }

  /// Builds a layer that moves elements; `false` for other layers.
  private static func buildMovement(_ call: inout CoreMLCall) throws -> Bool {
    switch call.layer.kind {
    case .flatten(let layer): try CoreMLMovements.flatten(&call, layer.mode)
    case .reshape(let layer): try CoreMLMovements.reshape(&call, layer)
    case .reshapeStatic(let layer), .rankPreservingReshape(let layer):
      try CoreMLMovements.reshapeExact(&call, layer.values)
    case .squeeze(let layer): try CoreMLMovements.squeeze(&call, layer)
    case .expandDims(let layer): try CoreMLMovements.expandDimensions(&call, layer.values)
    case .flattenTo2D(let layer): try CoreMLMovements.flattenTo2D(&call, axis: layer.axis)
    case .permute(let layer), .transpose(let layer):
      try CoreMLMovements.permute(&call, layer.values)
    case .concat(let layer):
      try CoreMLMovements.concatenate(&call, axis: layer.isSequence ? call.sequenceAxis : -3)
    case .concatNd(let layer):
      guard !layer.first else { throw NodeFailure.unsupported("interleave") }
      try CoreMLMovements.concatenate(&call, axis: layer.axis)
    case .stack(let layer): try CoreMLMovements.stack(&call, axis: layer.axis)
    case .split: try CoreMLMovements.split(&call, axis: -3, sizes: nil)
    case .splitNd(let layer):
      try CoreMLMovements.split(
        &call, axis: layer.axis,
        sizes: layer.sizes.isEmpty ? nil : try layer.sizes.map { try CoreMLCall.size($0) })
    case .slice(let layer): try CoreMLMovements.sliceImage(&call, layer)
    case .sliceStatic(let layer): try CoreMLMovements.sliceStatic(&call, layer)
    case .tile(let layer): try CoreMLMovements.tile(&call, layer.values)
    case .sequenceRepeat(let layer): try CoreMLMovements.repeatSequence(&call, layer.count)
    case .reverse(let layer): try CoreMLMovements.reverse(&call, layer.axes)
    case .broadcastToStatic(let layer): try CoreMLMovements.broadcast(&call, layer.values)
    case .copy: call.set(try call.value())
    case .loadConstant(let layer), .loadConstantNd(let layer):
      var sizes = try CoreMLCall.sizes(layer.shape)
      let values = try layer.values.tensor(sizes)
      if !call.isExact { sizes = Array(repeating: 1, count: max(4 - sizes.count, 0)) + sizes }
      call.set(.host(values.reshaped(sizes)))
    case .fillStatic(let layer):
      let sizes = try CoreMLCall.sizes(layer.shape)
      call.set(.host(HostTensor(type: .float32, sizes: sizes, storage: .repeated(layer.value))))
    default: return false
    }
    return true
  }

  /// Builds a layer that combines tensors element by element; `false` for other layers.
  private static func buildArithmetic(_ call: inout CoreMLCall) throws -> Bool {
    let name = call.name
    switch call.layer.kind {
    case .add(let pair):
      try CoreMLElementwise.combine(
        &call, alpha: pair.alpha, constant: { Scale(1, bias: $0, name: name) },
        channels: { Scale(bias: $0, name: name) }, Add(name: name))
    case .multiply(let pair):
      try CoreMLElementwise.combine(
        &call, alpha: pair.alpha, constant: { Scale($0, name: name) },
        channels: { Scale(by: $0, name: name) }, Multiply(name: name))
    case .addBroadcastable:
      try CoreMLElementwise.combine(
        &call, alpha: 0, constant: { Scale(1, bias: $0, name: name) },
        channels: { Scale(bias: $0, name: name) }, Add(name: name))
    case .multiplyBroadcastable:
      try CoreMLElementwise.combine(
        &call, alpha: 1, constant: { Scale($0, name: name) },
        channels: { Scale(by: $0, name: name) }, Multiply(name: name))
    case .average: try CoreMLElementwise.average(&call)
    case .max, .maxBroadcastable: try CoreMLElementwise.combine(&call, Maximum(name: name))
    case .min, .minBroadcastable: try CoreMLElementwise.combine(&call, Minimum(name: name))
    case .subtractBroadcastable: try CoreMLElementwise.combine(&call, Subtract(name: name))
    case .divideBroadcastable: try CoreMLElementwise.combine(&call, Divide(name: name))
    case .floorDivBroadcastable: try CoreMLElementwise.floorDivide(&call)
    case .powBroadcastable: try CoreMLElementwise.combine(&call, Power(name: name))
    case .modBroadcastable:
      try CoreMLElementwise.combine(&call, Remainder(.ofDivisor, name: name))
    case .equal(let pair): try CoreMLElementwise.compare(&call, .equal, alpha: pair.alpha)
    case .notEqual(let pair): try CoreMLElementwise.compare(&call, .notEqual, alpha: pair.alpha)
    // The number of these is their second field.
    case .lessThan(let pair): try CoreMLElementwise.compare(&call, .less, alpha: pair.beta)
    case .lessEqual(let pair): try CoreMLElementwise.compare(&call, .lessOrEqual, alpha: pair.beta)
    case .greaterThan(let pair): try CoreMLElementwise.compare(&call, .greater, alpha: pair.beta)
    case .greaterEqual(let pair):
      try CoreMLElementwise.compare(&call, .greaterOrEqual, alpha: pair.beta)
    case .logicalAnd: try CoreMLElementwise.combine(&call, Logical(.and, name: name))
    case .logicalOr: try CoreMLElementwise.combine(&call, Logical(.or, name: name))
    case .logicalXor: try CoreMLElementwise.combine(&call, Logical(.xor, name: name))
    case .whereBroadcastable: try CoreMLElementwise.where(&call)
    default: return false
    }
    return true
  }

  /// Builds a function of each element; `false` for other layers.
  private static func buildFunction(_ call: inout CoreMLCall) throws -> Bool {
    switch call.layer.kind {
    case .unary(let layer): try CoreMLElementwise.unary(&call, layer)
    case .gelu(let layer): try CoreMLElementwise.gelu(&call, layer.mode)
    case .clampedReLu(let pair): try CoreMLElementwise.clampedReLU(&call, pair)
    case .clip(let pair):
      try call.map(Activation(.clipped(minimum: pair.alpha, maximum: pair.beta)))
    case .exp2: try CoreMLElementwise.exponentialOfTwo(&call)
    case .tanh: try call.map(Activation(.tanh))
    case .ceil: try call.map(Unary(.ceiling))
    case .floor: try call.map(Unary(.floor))
    case .sign: try call.map(Unary(.sign))
    case .round: try call.map(Unary(.round))
    case .sin: try call.map(Unary(.sine))
    case .cos: try call.map(Unary(.cosine))
    case .tan: try call.map(Unary(.tangent))
    case .asin: try call.map(Unary(.arcsine))
    case .acos: try call.map(Unary(.arccosine))
    case .atan: try call.map(Unary(.arctangent))
    case .sinh: try call.map(Unary(.hyperbolicSine))
    case .cosh: try call.map(Unary(.hyperbolicCosine))
    case .asinh: try call.map(Unary(.hyperbolicArcsine))
    case .acosh: try call.map(Unary(.hyperbolicArccosine))
    case .atanh: try call.map(Unary(.hyperbolicArctangent))
    case .erf: try call.map(Unary(.errorFunction))
    case .logicalNot: try call.map(Unary(.logicalNot))
    default: return false
    }
    return true
  }

  /// Builds a reduction or selection; `false` for other layers.
  private static func buildReduction(_ call: inout CoreMLCall) throws -> Bool {
    switch call.layer.kind {
    case .reduce(let layer): try CoreMLReductions.channels(&call, layer)
    case .reduceL1(let layer): try CoreMLReductions.reduce(&call, .l1, layer)
    case .reduceL2(let layer): try CoreMLReductions.reduce(&call, .l2, layer)
    case .reduceMax(let layer): try CoreMLReductions.reduce(&call, .maximum, layer)
    case .reduceMin(let layer): try CoreMLReductions.reduce(&call, .minimum, layer)
    case .reduceSum(let layer): try CoreMLReductions.reduce(&call, .sum, layer)
    case .reduceProd(let layer): try CoreMLReductions.reduce(&call, .product, layer)
    case .reduceMean(let layer): try CoreMLReductions.reduce(&call, .mean, layer)
    case .reduceLogSum(let layer): try CoreMLReductions.reduce(&call, .logSum, layer)
    case .reduceSumSquare(let layer): try CoreMLReductions.reduce(&call, .sumOfSquares, layer)
    case .reduceLogSumExp(let layer): try CoreMLReductions.reduce(&call, .logSumExp, layer)
    case .argMax(let layer): try CoreMLReductions.extreme(&call, layer, isMaximum: true)
    case .argMin(let layer): try CoreMLReductions.extreme(&call, layer, isMaximum: false)
    case .topK(let layer): try CoreMLReductions.largest(&call, layer)
    case .cumSum(let layer): try CoreMLReductions.cumulativeSum(&call, layer)
    case .gather(let layer): try CoreMLReductions.gather(&call, axis: layer.axis)
    case .gatherAlongAxis(let layer):
      try CoreMLReductions.gatherAlong(&call, axis: layer.axis)
    default: return false
    }
    return true
  }
}
