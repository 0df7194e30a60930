import ForgeShapes

/// The input itself.
///
/// Operand: any tensor.
package struct IdentityOperation: PrimitiveOperation {
  package var name: String { "identity" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: true, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { true }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor { call.input }
}
