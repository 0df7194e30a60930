import ForgeShapes

/// Zeros around an image.
///
/// Operand: image.
package struct PadOperation: PrimitiveOperation {
  let edges: Edges

  package var name: String { "pad" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.pad(operands[0], by: edges)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { edges == .none }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    let zeros = Array(repeating: 0.0, count: input.channels)
    return ReferenceTensor(image: call.output) { y, x in
      let (row, column) = (y - edges.top, x - edges.left)
      let isInside = (0..<input.height).contains(row) && (0..<input.width).contains(column)
      return isInside ? input.pixel(y: row, x: column) : zeros
    }
  }
}

extension PadOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    /// The range of the input, and the zeros on both sides of it.
    func cut(_ range: Range<Int>, before: Int, size: Int) -> (Range<Int>, Int, Int)? {
      let (first, end) = (range.lowerBound - before, range.upperBound - before)
      guard max(first, 0) < min(end, size) else { return nil }
      return (max(first, 0)..<min(end, size), max(-first, 0), max(end - size, 0))
    }
    let input = operands[0]
    guard let (rows, top, bottom) = cut(part.ranges[0], before: edges.top, size: input[0]),
      let (columns, left, right) = cut(part.ranges[1], before: edges.left, size: input[1])
    else { return nil }
    return PartialComputation(
      .pad(Edges(top: top, left: left, bottom: bottom, right: right)),
      [TensorPart([rows, columns, part.ranges[2]])])
  }
}
