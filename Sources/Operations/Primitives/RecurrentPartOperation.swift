import ForgeShapes

/// A part of the result of recurrent cells: the sequence, the last hidden values, or the cells.
///
/// Operands: the result of ``RecurrentOperation``, and the first operand of that, for its sizes.
package struct RecurrentPartOperation: PrimitiveOperation {
  let rule: RecurrentRule
  let part: RecurrentRule.Part

  package var name: String { "recurrentPart" }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    guard operands[1].rank == 3 else { throw operandSize(1, operands[1], needs: "3 axes") }
    let sequenceShape = try RecurrentOperation(rule: rule).outputShape(for: [operands[1]])
    guard part != .cells || rule.hasCells, sequenceShape.dimensions[0] == operands[0].elementCount
    else {
      throw operandSize(0, operands[0], needs: sequenceShape.sizeText)
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape {
    let sizes = operands[1].dimensions
    return switch part {
    case .sequence: Shape([sizes[0], sizes[1], rule.outputs])
    case .hidden: Shape([sizes[1], rule.outputs])
    case .cells: Shape([sizes[1], rule.units])
    }
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let start = rule.start(of: part, sizes: call.operands[1].sizes)
    let count = call.output.reduce(1, *)
    return ReferenceTensor(
      unchecked: call.output, Array(call.input.values[start..<start + count]))
  }
}
