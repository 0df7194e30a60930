import ForgeShapes

/// The same elements with other sizes; one may be −1.
///
/// Operand: any tensor.
package struct ReshapeOperation: PrimitiveOperation {
  let sizes: [Int]

  package var name: String { "reshape" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: true, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.reshape(operands[0], to: sizes)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { input == output }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(unchecked: call.output, call.input.values)
  }
}
