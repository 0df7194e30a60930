import ForgeShapes

/// The largest, or smallest, elements along the last axis in order, or their places.
///
/// Of equal elements the first comes first; NaN comes last.
///
/// Operand: any tensor.
package struct TopRowsOperation: PrimitiveOperation {
  let count: Int
  let smallest: Bool
  let places: Bool

  package var name: String { "topK" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ExactRule.check(operands[0].channels)
    let most = operands[0].channels ?? .max
    guard (1...most).contains(count) else {
      throw .outOfRange("count", "\(count)", needs: "1 to \(most)")
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape {
    Shape(Array(operands[0].dimensions.dropLast()) + [count])
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    Int.bitWidth - (operands[0].channels ?? 1).leadingZeroBitCount
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let values = call.input.rows.flatMap { row in
      row.indices.sorted { i, j in
        let (a, b) = (row[i], row[j])
        if a.isNaN || b.isNaN { return a.isNaN == b.isNaN ? i < j : b.isNaN }
        return a == b ? i < j : smallest ? a < b : a > b
      }.prefix(count).map { places ? Double($0 - row.startIndex) : row[$0] }
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}
