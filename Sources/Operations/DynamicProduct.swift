import ForgeShapes

/// A pointwise convolution or a dense layer of integers whose range each prediction finds.
///
/// `s(o) = Σ (q(i) − zeroPoint) · w(o, i)` is exact, and then in Float32
/// `y(o) = float(s(o) + biases(o)) · (scale · factors(o)) + offsets(o)`. Scale and zero point are
/// those of a dynamic range; the whole numbers `w` are the weights over ``weightScales``. Source:
/// ONNX Runtime, MatMulIntegerToFloat.
public struct DynamicProduct: Sendable, Encodable {
  /// Which inputs belong to an output.
  package let form: QuantizedProduct.Form
  /// The real number that the integer 1 stands for in the weights of each output.
  package let weightScales: [Float]
  /// Whether weights have zero points.
  package let hasWeightZeros: Bool
  /// The integer that is added to the sum of each output; `nil` for nothing.
  package let biases: [Int32]?
  /// What the scale is multiplied with for each output.
  package let factors: [Float]
  /// What is added to each output; `nil` for nothing.
  package let offsets: [Float]?

  package init(
    form: QuantizedProduct.Form, weightScales: [Float], hasWeightZeros: Bool, biases: [Int32]?,
    factors: [Float], offsets: [Float]?
  ) {
    self.form = form
    self.weightScales = weightScales
    self.hasWeightZeros = hasWeightZeros
    self.biases = biases
    self.factors = factors
    self.offsets = offsets
  }

  /// The same product with another layer.
  package func with(_ form: QuantizedProduct.Form) -> DynamicProduct {
    DynamicProduct(
      form: form, weightScales: weightScales, hasWeightZeros: hasWeightZeros, biases: biases,
      factors: factors, offsets: offsets)
  }

  /// The result of an exact sum.
  func result(_ sum: Double, _ output: Int, scale: Float) -> Double {
    let sum = sum + Double(biases?[output] ?? 0)
    let product = Float(sum) * (scale * factors[output])
    return Double(offsets.map { product + $0[output] } ?? product)
  }
}
