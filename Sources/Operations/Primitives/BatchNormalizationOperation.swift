import ForgeShapes

/// `gamma·(x − mean)/√(variance + epsilon) + beta` along the last axis (Ioffe and Szegedy, 2015).
///
/// Operands: any tensor, gamma, beta, mean, variance.
package struct BatchNormalizationOperation: PerChannelOperation {
  let epsilon: Float

  package var name: String { "batchNormalization" }
  var operandNames: [String] { ["gammas", "betas", "means", "variances"] }

  /// `scale = gamma/√(variance + epsilon)`, `shift = beta − mean·scale`.
  package func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double]) {
    let (gamma, beta, mean, variance) = (operands[0], operands[1], operands[2], operands[3])
    let scale = zip(gamma, variance).map { $0 / ($1 + Double(epsilon)).squareRoot() }
    return (scale, zip(beta, zip(mean, scale)).map { $0 - $1.0 * $1.1 })
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor {
    try checkOperands(operands)
    var result = operands[0]
    for index in result.values.indices {
      let c = index % result.lastSize
      let (gamma, beta) = (operands[1].values[c], operands[2].values[c])
      let (mean, variance) = (operands[3].values[c], operands[4].values[c])
      result.values[index] =
        gamma * (result.values[index] - mean) / (variance + Double(epsilon)).squareRoot() + beta
    }
    return result
  }
}
