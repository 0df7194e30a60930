import Forge

extension CoreMLLayerType {
  /// Matrix products.
  static let products: [CoreMLLayerType] = [
    CoreMLLayerType("innerProduct", field: 140, innerProduct),
    CoreMLLayerType("batchedMatmul", field: 1045, batchedProduct),
  ]

  /// Fields of `InnerProductLayerParams`.
  private enum InnerProductField {
    static let (inputChannels, outputChannels, hasBias) = (1, 2, 10)
    static let (weights, bias, int8) = (20, 21, 22)
  }

  private static func innerProduct(_ call: inout CoreMLCall) throws {
    typealias Field = InnerProductField
    let inputs = try call.size(Field.inputChannels)
    let outputs = try call.size(Field.outputChannels)
    let weights = try call.weights(Field.weights).tensor([outputs, inputs])
    let bias =
      try call.fields.bool(Field.hasBias) ? try call.weights(Field.bias).tensor([outputs]) : nil
    let input = try call.value()
    let (rank, sizes) = (input.sizes.count, input.sizes)
    // The last axis of three has the channels in later networks, even if all sizes are 1.
    let isLast = call.isExact && rank == 3 && sizes[2] == inputs
    // Channels, height and width of each example are flattened.
    let isImage =
      rank >= 3 && !isLast && Shape.product(of: Array(sizes.suffix(3))) == inputs
      && (rank > 3 || !call.isExact || sizes[1...] == [1, 1])
    guard isImage || sizes.last == inputs else {
      throw NodeFailure.invalid("\(inputs) input channels on \(sizes)")
    }
    let front = Array(sizes.dropLast(isImage ? 3 : 1))
    let rows = front.reduce(1, *)
    // One image is read as it is, with the weights in its order.
    let isQuantized = try call.fields.bool(Field.int8)
    let source = isImage && rows == 1 && !isQuantized ? input.withRank(4) : input
    var factors = try source.placed(in: [rows, inputs])
    let scale = isQuantized ? try call.quantize(&factors) : nil
    var product = try call.dense(factors, weights, isTransposed: true, bias: bias)
    if let scale { product = try call.node("Mul", [product, scale]) }
    call.set(try product.placed(in: front + [outputs] + (isImage ? [1, 1] : [])))
  }

  /// Fields of `BatchedMatMulLayerParams`.
  private enum MatrixProductField {
    static let (transposeA, transposeB, rows, columns) = (1, 2, 5, 6)
    static let (hasBias, weights, bias, int8) = (7, 8, 9, 10)
  }

  private static func batchedProduct(_ call: inout CoreMLCall) throws {
    typealias Field = MatrixProductField
    let isQuantized = try call.fields.bool(Field.int8)
    if call.inputs.count == 1 {
      // Transpositions are for two inputs.
      let inputs = try call.size(Field.rows)
      let outputs = try call.size(Field.columns)
      var input = try call.value()
      guard input.sizes.last == inputs else {
        throw NodeFailure.invalid("a matrix of \(inputs) rows on \(input.sizes)")
      }
      let bias =
        try call.fields.bool(Field.hasBias) ? try call.weights(Field.bias).tensor([outputs]) : nil
      let scale = isQuantized ? try call.quantize(&input) : nil
      let product = try call.dense(
        input, try call.weights(Field.weights).tensor([outputs, inputs]), isTransposed: true,
        bias: bias)
      return call.set(try scale.map { try call.node("Mul", [product, $0]) } ?? product)
    }
    guard !isQuantized else { throw NodeFailure.invalid("int8DynamicQuantize of two inputs") }
    guard call.inputs.count == 2 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
    let isTransposed = [
      try call.fields.bool(Field.transposeA), try call.fields.bool(Field.transposeB),
    ]
    let operands = try (0..<2).map { index -> FileValue in
      let operand = try call.value(index)
      let rank = operand.sizes.count
      // NumPy's rule: vectors lose the axis that they are given.
      guard rank > 1 else { throw NodeFailure.unsupported("a vector") }
      guard isTransposed[index] else { return operand }
      return try operand.transposed(Array(0..<(rank - 2)) + [rank - 1, rank - 2])
    }
    call.set(try call.node("MatMul", operands))
  }
}

extension CoreMLCall {
  /// Quantizes a tensor to integers from −127 to 127, stored as floats, and returns the scale.
  ///
  /// `int8DynamicQuantize`: the specification does not say how the input is quantized. The scale is
  /// `max |x| / 127` of all elements, as coremltools makes that of the weights.
  fileprivate mutating func quantize(_ input: inout FileValue) throws -> FileValue {
    let magnitudes = try node("Abs", [input])
    let greatest = try node(
      "ReduceMax", [magnitudes, .integers(Array(input.sizes.indices))], ["keepdims": .int(1)])
    // Zeros alone have any scale.
    let scale = try node(
      "Div", [try node("Max", [greatest, .number(.leastNormalMagnitude * 127)]), .number(127)])
    let one = FileValue.number(1)
    let zero = FileValue.host(HostTensor(integers: [0], sizes: [], type: .int8))
    let quotient = try node("Div", [input, scale])
    let integers = try node("QuantizeLinear", [quotient, one, zero])
    input = try node("DequantizeLinear", [integers, one, zero])
    return scale
  }
}
