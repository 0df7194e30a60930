import ForgeShapes

/// A function of each element.
///
/// Operand: any tensor.
package struct ActivationOperation: ElementwiseOperation {
  let function: ActivationFunction

  package var name: String { function.description }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try function.validate() }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { function == .linear }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    call.input.map(function.value)
  }
}
