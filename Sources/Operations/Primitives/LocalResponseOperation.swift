import ForgeShapes
import ForgeSystem

/// Each value over a power of the squares of its neighbors along the last axis.
///
/// `x(c) / (bias + alpha / size · Σ x(k)²)^beta`, `k` from `c − ⌊(size − 1) / 2⌋` to
/// `c + ⌈(size − 1) / 2⌉`, those outside left out.
///
/// Operand: any tensor.
package struct LocalResponseOperation: PrimitiveOperation {
  let size: Int
  let alpha: Float
  let beta: Float
  let bias: Float

  package var name: String { "localResponse" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(size, "size")
    try ArgumentRule.finite(alpha, "alpha")
    try ArgumentRule.finite(beta, "beta")
    try ArgumentRule.finite(bias, "bias")
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int {
    size
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (input, channels) = (call.input, call.input.lastSize)
    let before = (size - 1) / 2
    let after = size - 1 - before
    let values = input.values.indices.map { offset in
      let (row, c) = (offset - offset % channels, offset % channels)
      let neighbors = max(c - before, 0)...min(c + after, channels - 1)
      let squares = neighbors.reduce(0) {
        $0 + input.values[row + $1] * input.values[row + $1]
      }
      let base = Double(bias) + Double(alpha) / Double(size) * squares
      return input.values[offset] / pow(base, Double(beta))
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}
