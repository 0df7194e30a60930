import ForgeShapes

/// Operations of two tensors element by element, and of each channel.
extension Primitive {
  /// The operation of two tensors, aligned at their last axis, sizes of 1 spread over the output's.
  static func binary(
    _ a: ReferenceTensor, _ operation: BinaryOperator, _ b: ReferenceTensor, output: [Int]
  ) -> ReferenceTensor {
    var values: [Double] = []
    ReferenceTensor.forEachIndex(of: output) { index in
      values.append(operation.value(a.spread(at: index), b.spread(at: index)))
    }
    return ReferenceTensor(unchecked: output, values)
  }

  /// `x·scale + bias` along the last axis.
  ///
  /// Operands: x, scale, bias.
  static func affine(_ inputs: [ReferenceTensor]) throws(ReferenceError) -> ReferenceTensor {
    var result = inputs[0]
    let channels = result.lastSize
    for (operand, name) in zip(inputs.dropFirst(), ["scales", "biases"]) {
      try check(operand, name, sizes: channels)
    }
    for index in result.values.indices {
      let c = index % channels
      result.values[index] = result.values[index] * inputs[1].values[c] + inputs[2].values[c]
    }
    return result
  }

  /// `gamma·(x − mean)/√(variance + epsilon) + beta` along the last axis.
  ///
  /// Operands: x, gamma, beta, mean, variance.
  static func batchNormalization(
    _ inputs: [ReferenceTensor], epsilon: Double
  ) throws(ReferenceError) -> ReferenceTensor {
    var result = inputs[0]
    let channels = result.lastSize
    for (operand, name) in zip(inputs.dropFirst(), ["gammas", "betas", "means", "variances"]) {
      try check(operand, name, sizes: channels)
    }
    for index in result.values.indices {
      let c = index % channels
      let (gamma, beta) = (inputs[1].values[c], inputs[2].values[c])
      let (mean, variance) = (inputs[3].values[c], inputs[4].values[c])
      result.values[index] =
        gamma * (result.values[index] - mean) / (variance + epsilon).squareRoot() + beta
    }
    return result
  }
}

extension ReferenceTensor {
  /// The value for an index of the tensor that this one is broadcast to.
  func spread(at index: [Int]) -> Double {
    let own = zip(index.suffix(sizes.count), sizes).map { position, size in
      size == 1 ? 0 : position
    }
    return values[offset(of: own)]
  }
}

extension BinaryOperator {
  /// What the operator makes of two numbers.
  func value(_ a: Double, _ b: Double) -> Double {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .maximum: a.isNaN || b.isNaN ? .nan : max(a, b)
    case .minimum: a.isNaN || b.isNaN ? .nan : min(a, b)
    case .prelu: a > 0 ? a : a * b
    }
  }
}
