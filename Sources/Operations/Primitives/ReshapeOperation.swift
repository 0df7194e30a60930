import ForgeShapes

/// The same elements with other sizes; one may be −1.
///
/// Operand: any tensor.
package struct ReshapeOperation: PrimitiveOperation {
  let sizes: [Int]

  package var name: String { "reshape" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 1...1, isLinear: false, takesActivation: false, packsOperands: false,
      keepsElements: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.reshape(operands[0], to: sizes)
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    input == output && input.isKnown
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor { ReferenceTensor(unchecked: output, operands[0].values) }
}
