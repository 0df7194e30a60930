import ForgeShapes

/// The entries of an axis at fixed places; −1 stands for entries of a fixed value.
///
/// It is also a padding: of a constant value, or of repeated or mirrored entries.
///
/// Operand: any tensor.
package struct GatherOperation: PrimitiveOperation {
  let axis: Int
  let indices: [Int]
  let value: Float

  package var name: String { "gather" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let axis = try CombinationRule.axis(axis, rank: operands[0].rank)
    guard let size = operands[0].dimensions[axis] else {
      throw .unknownSize("a known size to gather from")
    }
    guard !indices.isEmpty, indices.allSatisfy({ (-1..<size).contains($0) }) else {
      throw .outOfRange("indices", "\(indices)", needs: "one or more numbers from 0 to \(size - 1)")
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    var dimensions = operands[0].dimensions
    dimensions[try CombinationRule.axis(axis, rank: dimensions.count)] = indices.count
    return Shape(dimensions)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let input = call.input
    let axis = axis < 0 ? axis + input.sizes.count : axis
    for index in indices where index >= input.sizes[axis] {
      throw .channelOutOfRange(index, channels: input.sizes[axis])
    }
    return ReferenceTensor(call.output) { position in
      var source = position
      source[axis] = indices[position[axis]]
      return source[axis] < 0 ? Double(value) : input.values[input.offset(of: source)]
    }
  }
}

extension GatherOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let axis = axis < 0 ? axis + part.ranges.count : axis
    let taken = Array(indices[part.ranges[axis]])
    let places = taken.filter { $0 >= 0 }
    guard let first = places.min(), let last = places.max() else { return nil }
    let relative = taken.map { $0 < 0 ? $0 : $0 - first }
    return PartialComputation(
      relative == Array(0..<last + 1 - first)
        ? .identity : .gather(axis: axis, indices: relative, value: value),
      [part.with(first..<last + 1, along: axis)])
  }
}
