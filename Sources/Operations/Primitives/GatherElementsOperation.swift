import ForgeShapes

/// For each place of the second operand the element of the first there along an axis.
///
/// Places below 0 count from the end. A place outside is a mistake of the caller: NaN here, an
/// error of a prediction.
///
/// Operands: the data, the places, of the same rank and nowhere else larger than the data.
package struct GatherElementsOperation: PrimitiveOperation {
  let axis: Int

  package var name: String { "gatherElements" }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let axis = try CombinationRule.axis(axis, rank: operands[0].rank)
    try ExactRule.check(operands[0].dimensions[axis])
    let fits =
      operands[0].rank == operands[1].rank
      && zip(operands[0].dimensions, operands[1].dimensions).enumerated().allSatisfy {
        $0 == axis || ($1.0 ?? .max) >= ($1.1 ?? 0)
      }
    guard fits else { throw .cannotBroadcast() }
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[1] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (data, places) = (call.input, call.operands[1])
    let axis = axis < 0 ? axis + data.sizes.count : axis
    return ReferenceTensor(call.output) { position in
      let stated = places.values[places.offset(of: position)]
      guard let index = ExactRule.index(stated, size: data.sizes[axis]) else { return .nan }
      var source = position
      source[axis] = index
      return data.values[data.offset(of: source)]
    }
  }
}
