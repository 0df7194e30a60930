import ForgeSystem

extension ActivationFunction {
  /// The function at `x`, by the formula that each case states.
  ///
  /// NaN stays NaN. Formulas with an intermediate overflow are rearranged, so that `softplus` of
  /// 1000 is 1000.
  func value(at x: Double) -> Double { evaluate(self, x) }
}

// This is outside the extension, where `tanh` would be the case, not the C library's function.
private func evaluate(_ function: ActivationFunction, _ x: Double) -> Double {
  switch function {
  case .linear: x
  case .relu: clamp(x, 0, .infinity)
  case .relu6: clamp(x, 0, 6)
  case .clipped(let minimum, let maximum): clamp(x, Double(minimum), Double(maximum))
  case .leakyReLU(let slope): x > 0 ? x : Double(slope) * x
  case .elu(let alpha): x > 0 ? x : Double(alpha) * expm1(x)
  case .selu:
    ActivationFunction.seluScale * (x > 0 ? x : ActivationFunction.seluAlpha * expm1(x))
  case .sigmoid: logistic(x)
  case .tanh: tanh(x)
  case .hardSigmoid: clamp(x / 6 + 0.5, 0, 1)
  case .hardSigmoidKeras2: clamp(0.2 * x + 0.5, 0, 1)
  case .hardSigmoidLinear(let alpha, let beta): clamp(Double(alpha) * x + Double(beta), 0, 1)
  case .hardSwish: x * clamp(x / 6 + 0.5, 0, 1)
  case .swish: x * logistic(x)
  case .mish: x * tanh(softplus(x))
  // 1 + erf(z) is erfc(−z), which keeps its precision far below zero.
  case .gelu: x / 2 * erfc(-x / 2.0.squareRoot())
  // (1 + tanh z) / 2 is logistic(2z), for the same reason.
  case .geluTanh: x * logistic((8 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x))
  case .softplus: softplus(x)
  }
}

/// `min(max(x, minimum), maximum)`; NaN stays NaN.
private func clamp(_ x: Double, _ minimum: Double, _ maximum: Double) -> Double {
  x.isNaN ? x : min(max(x, minimum), maximum)
}

/// `1 / (1 + e⁻ˣ)`.
private func logistic(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

/// `ln(1 + eˣ)`.
private func softplus(_ x: Double) -> Double {
  x.isNaN ? x : max(x, 0) + log1p(exp(-abs(x)))
}
