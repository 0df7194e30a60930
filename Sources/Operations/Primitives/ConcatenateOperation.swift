import ForgeShapes

/// Tensors joined along an axis, counted from 0.
///
/// Operands: one or more tensors.
package struct ConcatenateOperation: PrimitiveOperation {
  let axis: Int

  package var name: String { "concatenate" }
  package var traits: OperationTraits {
    .unweighted(
      1...Int.max, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.concatenate(operands, axis: axis)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { true }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let along: Int
    do { along = try CombinationRule.axis(axis, rank: call.output.count) } catch {
      throw .shape(error)
    }
    // Each operand contributes its elements from the axis on as one piece.
    var values: [Double] = []
    for position in 0..<call.output[..<along].reduce(1, *) {
      for input in call.operands {
        let count = input.sizes[along...].reduce(1, *)
        values += input.values[position * count..<(position + 1) * count]
      }
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}

extension ConcatenateOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let axis = axis < 0 ? axis + part.ranges.count : axis
    var start = 0
    var read: [PartialComputation.Operand] = []
    for (position, sizes) in operands.enumerated() {
      let taken = part.ranges[axis].clamped(to: start..<start + sizes[axis])
      if !taken.isEmpty {
        read.append(
          PartialComputation.Operand(
            position: position,
            part: part.with(
              taken.lowerBound - start..<taken.upperBound - start, along: axis)))
      }
      start += sizes[axis]
    }
    return PartialComputation(read.count == 1 ? .identity : nil, read)
  }
}
