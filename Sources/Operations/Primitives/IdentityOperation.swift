import ForgeShapes

/// The input itself.
///
/// Operand: any tensor.
package struct IdentityOperation: PrimitiveOperation {
  package var name: String { "identity" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 1...1, isLinear: false, takesActivation: false, packsOperands: false,
      keepsElements: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { true }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor { operands[0] }
}
