import Forge

extension ONNXOperators {
  /// Products and convolutions of integers.
  static let quantizedProducts: [ONNXOperator] = [
    ONNXOperator(
      "QLinearConv", import: quantizedConvolution, fold: .none, bounds: nil, length: .followed,
      sizes: .none, examples: .apart(ONNXOpenRules.firstAxis)),
    ONNXOperator(
      "QLinearMatMul", import: quantizedMatrixProduct, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(products(0, 3))),
    ONNXOperator(
      "QGemm", domain: microsoft, import: quantizedGemm, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(products(0, 3))),
    ONNXOperator(
      "MatMulInteger", import: integerMatrixProduct, fold: .none, bounds: .products,
      length: .followed,
      sizes: .none, examples: .apart(products(0, 1))),
    ONNXOperator(
      "ConvInteger", import: integerConvolution, fold: .none, bounds: .products, length: .followed,
      sizes: .none, examples: .apart(ONNXOpenRules.firstAxis)),
    ONNXOperator(
      "MatMulIntegerToFloat", domain: microsoft, import: realMatrixProduct, fold: .none,
      bounds: nil, length: .followed, sizes: .none, examples: .apart(products(0, 1))),
    ONNXOperator(
      "DynamicQuantizeMatMul", domain: microsoft, import: dynamicMatrixProduct, fold: .none,
      bounds: nil, length: .followed, sizes: .none, examples: .mixed),
  ]

  /// The place of an open size in the product of two of the inputs.
  private static func products(_ left: Int, _ right: Int) -> ONNXOpenRules.Rule {
    { node in
      func factors(_ call: ONNXCall) -> ONNXCall {
        var call = call
        call.inputs = [left, right].map { call.inputs[$0] }
        return call
      }
      return try ONNXOpenProducts.multiplied(
        ONNXOpenNode(
          call: factors(node.call), larger: factors(node.larger),
          places: [node.place(left), node.place(right)], base: node.base))
    }
  }

  /// `y = quantize(conv(dequantize(x), dequantize(w)) + b · (x_scale · w_scale))`.
  private static func quantizedConvolution(_ call: inout ONNXCall) throws {
    let inputs = [
      try call.real(0), try call.real(3, axis: 0), try call.biases(8, scales: 1, 4),
    ]
    let sum = try call.result(as: "Conv", inputs)
    call.set(try call.quantized(sum, 6))
  }

  /// `y = quantize(dequantize(a) · dequantize(b))`.
  private static func quantizedMatrixProduct(_ call: inout ONNXCall) throws {
    let factors = [try call.real(0, axis: -2), try call.real(3, axis: -1)]
    call.set(try call.quantized(try call.part("MatMul", factors, name: call.outputName), 6))
  }

  /// `y = alpha · dequantize(A)' · dequantize(B)' + C · (alpha · a_scale · b_scale)`, quantized if
  /// the node states how.
  private static func quantizedGemm(_ call: inout ONNXCall) throws {
    let alpha = call.node.float("alpha", 1)
    let inputs = [
      try call.real(0, axis: -2),
      try call.real(3, axis: call.node.int("transB") != 0 ? 0 : 1),
      try call.biases(6, scales: 1, 4, factor: alpha),
    ]
    let sum = try call.part(
      "Gemm", inputs,
      [
        "alpha": .float(alpha), "transA": .int(call.node.int("transA")),
        "transB": .int(call.node.int("transB")),
      ], name: call.outputName)
    call.set(call.has(7) ? try call.quantized(sum, 7) : sum)
  }

  // MARK: Integers and real numbers

  /// The exact sums of products of integers less their zero points.
  private static func integerMatrixProduct(_ call: inout ONNXCall) throws {
    let factors = [
      try call.differences(0, zeroPoint: 2, axis: -2),
      try call.differences(1, zeroPoint: 3, axis: -1),
    ]
    call.set(
      try call.part("MatMul", factors, name: call.outputName).ofType(.int32))
  }

  private static func integerConvolution(_ call: inout ONNXCall) throws {
    let inputs = [
      try call.differences(0, zeroPoint: 2, axis: 1),
      try call.differences(1, zeroPoint: 3, axis: 0),
    ]
    call.set(try call.result(as: "Conv", inputs).ofType(.int32))
  }

  /// `y = (A − a_zero) · (B − b_zero) · (a_scale · b_scale) + bias`.
  private static func realMatrixProduct(_ call: inout ONNXCall) throws {
    let factors = [
      try call.differences(0, zeroPoint: 4, axis: -2),
      try call.differences(1, zeroPoint: 5, axis: -1),
    ]
    let sums = try call.part("MatMul", factors, name: call.outputName)
    let scales = try call.part("Mul", [try call.value(2), try call.value(3)])
    call.set(try call.sum(try call.part("Mul", [sums, scales]), 6))
  }

  /// `MatMulIntegerToFloat` of a factor that is quantized by its range.
  private static func dynamicMatrixProduct(_ call: inout ONNXCall) throws {
    let left = try call.dynamicDifferences(0)
    let factors = [left.differences, try call.differences(1, zeroPoint: 3, axis: -1)]
    let sums = try call.part("MatMul", factors, name: call.outputName)
    let scales = try call.part("Mul", [left.scale, try call.value(2)])
    call.set(try call.sum(try call.part("Mul", [sums, scales]), 4))
  }
}

extension ONNXCall {
  /// The real numbers of the integers in an input, whose scale and zero point are the next two.
  ///
  /// - Parameters:
  ///   - index: the input of the integers.
  ///   - axis: the axis whose entries may have scales of their own, negative from the back.
  /// - Returns: the numbers.
  /// - Throws: ``NodeFailure``.
  mutating func real(_ index: Int, axis: Int = 0) throws -> FileValue {
    let integers = try value(index)
    return try part(
      "DequantizeLinear", [integers, try value(index + 1), optional(index + 2)],
      ["axis": .int(axis < 0 ? max(axis + integers.sizes.count, 0) : axis)])
  }

  /// The integers of real numbers, whose scale and zero point are two of the inputs.
  mutating func quantized(_ value: FileValue, _ index: Int) throws -> FileValue {
    try part("QuantizeLinear", [value, try self.value(index), optional(index + 1)])
  }

  /// The integers of an input less their zero points, which are exact real numbers.
  mutating func differences(_ index: Int, zeroPoint: Int, axis: Int) throws -> FileValue {
    let integers = try value(index)
    guard [.int8, .uint8].contains(integers.type) else {
      throw NodeFailure.unsupported("factors of \(integers.type.rawValue)")
    }
    if case .network(let zero)? = optional(zeroPoint) {
      var zeros = try value(zeroPoint).asNumbers()
      if zero.count > 1 {
        let axis = try Self.axis(axis, rank: integers.sizes.count)
        guard zero.rank == 1, zero.count == integers.sizes[axis] else {
          throw NodeFailure.invalid(
            "\(zero.sizes) zero points of axis \(axis) of \(integers.sizes)")
        }
        var sizes = integers.sizes.map { _ in 1 }
        sizes[axis] = zero.count
        zeros = try zeros.reshaped(to: sizes)
      }
      return try part("Sub", [try integers.asNumbers(), zeros])
    }
    // As many scales as zero points.
    let count = host(zeroPoint)?.count ?? 1
    let ones = HostTensor(
      floats: Array(repeating: 1, count: count), sizes: count == 1 ? [] : [count])
    return try part(
      "DequantizeLinear", [integers, .host(ones), optional(zeroPoint)],
      ["axis": .int(axis < 0 ? max(axis + integers.sizes.count, 0) : axis)])
  }

  /// The integers that an input becomes by its range, less their zero point, and their scale.
  mutating func dynamicDifferences(
    _ index: Int
  ) throws -> (differences: FileValue, scale: FileValue) {
    let quantized = try parts("DynamicQuantizeLinear", [try value(index)], outputs: 3)
    let operands = [try quantized[0].asNumbers(), try quantized[2].asNumbers()]
    return (try part("Sub", operands), quantized[1])
  }

  /// Integer biases as real numbers: their scale is the product of those in two inputs.
  mutating func biases(
    _ index: Int, scales first: Int, _ second: Int, factor: Float = 1
  ) throws -> FileValue? {
    guard has(index) else { return nil }
    guard let integers = host(index), let left = try host(first)?.floats(),
      let right = try host(second)?.floats(), left.count == 1, let input = left.first,
      right.count == 1 || right.count == integers.sizes.last
    else { throw NodeFailure.unsupported("biases computed at run time") }
    let values = try integers.floats().enumerated().map { place, value in
      value * (factor * input * right[right.count == 1 ? 0 : place % right.count])
    }
    return .host(HostTensor(floats: values, sizes: integers.sizes))
  }

  /// A value plus an input that may be left out.
  mutating func sum(_ value: FileValue, _ index: Int) throws -> FileValue {
    try optional(index).map { try part("Add", [value, $0]) } ?? value
  }
}

extension FileValue {
  /// The same numbers as those of another type.
  func ofType(_ type: ElementType) throws -> FileValue {
    switch self {
    case .host(let tensor): return .host(try tensor.cast(to: type))
    case .network(var tensor):
      tensor.type = type
      return .network(tensor)
    case .length: return self
    }
  }
}
