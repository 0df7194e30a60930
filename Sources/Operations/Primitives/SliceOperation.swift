import ForgeShapes

/// The elements from `starts` in steps, as many as `sizes` along each axis.
///
/// Operand: any tensor.
package struct SliceOperation: PrimitiveOperation {
  let starts: [Int]
  let sizes: [Int]
  let steps: [Int]

  package var name: String { "slice" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let rank = operands[0].rank
    guard starts.count == rank, sizes.count == rank, steps.count == rank else {
      throw .outOfRange("starts", "\(starts)", needs: "one number for each of \(rank) axes")
    }
    for (axis, size) in operands[0].dimensions.enumerated() {
      guard let size else { throw .unknownSize("known sizes to slice") }
      let (span, overflow) = (sizes[axis] - 1).multipliedReportingOverflow(by: steps[axis])
      let last = starts[axis].addingSaturated(span)
      guard !overflow, sizes[axis] >= 1, steps[axis] != 0, (0..<size).contains(starts[axis]),
        (0..<size).contains(last)
      else {
        throw .outOfRange(
          "the range of axis \(axis)",
          "\(sizes[axis]) from \(starts[axis]) in steps of \(steps[axis])",
          needs: "indices from 0 to \(size - 1)")
      }
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    Shape(sizes: sizes)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    return ReferenceTensor(call.output) { index in
      input.values[
        input.offset(of: index.indices.map { starts[$0] + index[$0] * steps[$0] })]
    }
  }
}

extension SliceOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    guard steps.allSatisfy({ $0 > 0 }) else { return nil }
    let ranges = part.ranges.enumerated().map { axis, range in
      let start = starts[axis] + range.lowerBound * steps[axis]
      return start..<start + (range.count - 1) * steps[axis] + 1
    }
    let isDense = zip(steps, part.ranges).allSatisfy { $0 == 1 || $1.count == 1 }
    return PartialComputation(
      isDense
        ? .identity
        : .slice(starts: starts.map { _ in 0 }, sizes: part.sizes, steps: steps),
      [TensorPart(ranges)])
  }
}
