import ForgeShapes

/// The sums of the elements along the last axis up to each one.
///
/// Operand: any tensor.
package struct CumulativeSumOperation: PrimitiveOperation {
  let exclusive: Bool
  let reversed: Bool

  package var name: String { "cumulativeSum" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let values = call.input.rows.flatMap { row -> [Double] in
      var sum = 0.0
      let sums = (reversed ? row.reversed() : Array(row)).map { value -> Double in
        let before = sum
        sum += value
        return exclusive ? before : sum
      }
      return reversed ? sums.reversed() : sums
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}
