import ForgeShapes

/// The place of the largest, or smallest, element along the last axis, which keeps size 1.
///
/// Of equal elements the first counts, or the last. NaN counts as the largest and as the smallest.
///
/// Operand: any tensor.
package struct ArgumentRowsOperation: PrimitiveOperation {
  let smallest: Bool
  let selectsLast: Bool

  package var name: String { smallest ? "argMin" : "argMax" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ExactRule.check(operands[0].channels)
  }

  package func outputShape(for operands: [Shape]) -> Shape {
    Shape(Array(operands[0].dimensions.dropLast()) + [1])
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let places = call.input.rows.map { row -> Double in
      var best = row.startIndex
      for index in row.indices.dropFirst() where !row[best].isNaN {
        let isBetter = smallest ? row[index] < row[best] : row[index] > row[best]
        if isBetter || row[index].isNaN || (selectsLast && row[index] == row[best]) {
          best = index
        }
      }
      return Double(best - row.startIndex)
    }
    return ReferenceTensor(unchecked: call.output, places)
  }
}
