import ForgeShapes

/// `x·scale + shift` along the last axis.
///
/// Operands: any tensor, scale, shift.
package struct ScaleOperation: PerChannelOperation {
  package var name: String { "affine" }
  var operandNames: [String] { ["scales", "biases"] }

  package func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double]) {
    (operands[0], operands[1])
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor {
    try checkOperands(operands)
    var result = operands[0]
    for index in result.values.indices {
      let c = index % result.lastSize
      result.values[index] = result.values[index] * operands[1].values[c] + operands[2].values[c]
    }
    return result
  }
}
