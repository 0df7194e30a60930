import ForgeShapes

/// A position plus the number of columns of an image.
///
/// Operands: the position [1], the image [1][columns][channels], of which only the size counts.
package struct AdvanceOperation: PrimitiveOperation {
  package var name: String { "advance" }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    guard operands[0].elementCount == 1 else {
      throw operandSize(0, operands[0], needs: "1 value")
    }
    try TableRule.checkImage(operands[1])
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let columns = Double(call.operands[1].sizes[1])
    return call.input.map { $0 + columns }
  }
}
