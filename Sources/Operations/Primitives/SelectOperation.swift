import ForgeShapes

/// The second operand where the first is not 0, else the third.
///
/// Operands: three tensors of one shape.
package struct SelectOperation: PrimitiveOperation {

  package var name: String { "select" }
  package var traits: OperationTraits {
    .unweighted(3...3, takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    for operand in operands.dropFirst() where operand.rank != operands[0].rank {
      throw .cannotBroadcast()
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.broadcast(operands)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    for operand in call.operands where operand.sizes != call.output {
      throw .otherShape("an operand", operand.sizes, needs: Shape(sizes: call.output))
    }
    let (condition, yes, no) = (call.operands[0], call.operands[1], call.operands[2])
    let values = condition.values.indices.map {
      condition.values[$0] != 0 ? yes.values[$0] : no.values[$0]
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}
