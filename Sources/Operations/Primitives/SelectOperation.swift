import ForgeShapes

/// The second operand where the first is not 0, else the third, with NumPy's broadcasting.
///
/// Operands: three tensors.
package struct SelectOperation: ElementwiseOperation {
  package var name: String { "select" }
  package var traits: OperationTraits {
    .unweighted(3...3, takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    guard operands.count == 3 else {
      throw ShapeError(.wrongInputCount, "\(name) needs three inputs")
    }
    return try CombinationRule.broadcast(operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (condition, yes, no) = (call.operands[0], call.operands[1], call.operands[2])
    return ReferenceTensor(call.output) { index in
      condition.spread(at: index) != 0 ? yes.spread(at: index) : no.spread(at: index)
    }
  }
}
