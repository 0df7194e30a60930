import ForgeShapes

/// The data, where each update replaces the element at its index along an axis or is combined with
/// it.
///
/// Updates are applied in order, so of several updates at one index the last one stays. Negative
/// indices count from the end. An index out of range is a mistake of the caller: it changes nothing
/// here and is an error of a prediction.
///
/// Operands: the data; the indices, which repeat along axes of size 1 up to the sizes of the
/// updates; the updates, of the data's rank and larger than the data only along the axis.
package struct ScatterElementsOperation: PrimitiveOperation {
  let axis: Int
  let combination: ScatterCombination

  package var name: String { "scatterElements" }
  package var traits: OperationTraits {
    .unweighted(3...3, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let axis = try CombinationRule.axis(axis, rank: operands[0].rank)
    try ExactRule.check(operands[0].dimensions[axis])
    let (data, indices, updates) = (
      operands[0].dimensions, operands[1].dimensions, operands[2].dimensions
    )
    guard indices.count == data.count, updates.count == data.count else {
      throw .cannotScatter(operands)
    }
    for index in data.indices {
      let isInside = index == axis || (data[index] ?? .max) >= (updates[index] ?? 0)
      let hasIndices = indices[index] == 1 || indices[index] == updates[index]
      guard isInside, hasIndices else {
        throw .cannotScatter(operands)
      }
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (indices, updates) = (call.operands[1], call.operands[2])
    var result = call.input
    let axis = axis < 0 ? axis + result.sizes.count : axis
    var position = Array(repeating: 0, count: result.sizes.count)
    for (index, update) in updates.values.enumerated() {
      var rest = index
      for (axis, size) in updates.sizes.enumerated().reversed() {
        (position[axis], rest) = (rest % size, rest / size)
      }
      let repeated = zip(position, indices.sizes).map { $1 == 1 ? 0 : $0 }
      let stated = indices.values[indices.offset(of: repeated)]
      guard let found = ExactRule.index(stated, size: result.sizes[axis]) else { continue }
      position[axis] = found
      let offset = result.offset(of: position)
      let value = combination.value(result.values[offset], update)
      // A plan stores the result of each update.
      result.values[offset] = call.roundsToFloats ? Double(Float(value)) : value
    }
    return result
  }
}
