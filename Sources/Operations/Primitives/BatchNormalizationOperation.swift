/// `gamma·(x − mean)/√(variance + epsilon) + beta` along the last axis (Ioffe and Szegedy, 2015).
///
/// Operands: any tensor, gamma, beta, mean, variance.
package struct BatchNormalizationOperation: AffineOperation {
  let epsilon: Float

  package var name: String { "batchNormalization" }
  package var operandNames: [String] { ["gammas", "betas", "means", "variances"] }

  /// `scale = gamma/√(variance + epsilon)`, `shift = beta − mean·scale`.
  package func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double]) {
    let (gamma, beta, mean, variance) = (operands[0], operands[1], operands[2], operands[3])
    let scale = zip(gamma, variance).map { $0 / ($1 + Double(epsilon)).squareRoot() }
    return (scale, zip(beta, zip(mean, scale)).map { $0 - $1.0 * $1.1 })
  }

  package func value(_ x: Double, _ operands: [Double]) -> Double {
    let (gamma, beta, mean, variance) = (operands[0], operands[1], operands[2], operands[3])
    return gamma * (x - mean) / (variance + Double(epsilon)).squareRoot() + beta
  }
}
