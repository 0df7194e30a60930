/// `x·scale + shift` along the last axis.
///
/// Operands: any tensor, scale, shift.
package struct ScaleOperation: AffineOperation {
  package var name: String { "affine" }
  package var operandNames: [String] { ["scales", "biases"] }

  package func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double]) {
    (operands[0], operands[1])
  }

  package func value(_ x: Double, _ operands: [Double]) -> Double {
    x * operands[0] + operands[1]
  }
}
