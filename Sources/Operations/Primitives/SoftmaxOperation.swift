import ForgeShapes
import ForgeSystem

/// `eˣ / Σ eˣ` over the last axis, or its logarithm `x − ln Σ eˣ`.
///
/// Operand: any tensor.
package struct SoftmaxOperation: PrimitiveOperation {
  let logarithm: Bool

  package var name: String { logarithm ? "logSoftmax" : "softmax" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 2 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  /// Shifts each row by its maximum; NaN or +∞ in a row, or −∞ throughout it, makes the row NaN.
  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    let columns = input.lastSize
    var values: [Double] = []
    for start in stride(from: 0, to: input.count, by: columns) {
      let row = input.values[start..<start + columns]
      let largest = row.reduce(-.infinity, max)
      let shifted = row.map { $0 - largest }
      let sum = shifted.map { exp($0) }.reduce(0, +)
      values += shifted.map { logarithm ? $0 - log(sum) : exp($0) / sum }
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}

extension SoftmaxOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    guard part.coversAll(along: part.ranges.count - 1, of: operands[0]) else { return nil }
    return PartialComputation(nil, [part])
  }
}
