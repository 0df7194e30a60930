import ForgeShapes

/// The same elements with other sizes; one may be −1.
///
/// Operand: any tensor.
package struct ReshapeOperation: PrimitiveOperation {
  let sizes: [Int]

  package var name: String { "reshape" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: true, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.reshape(operands[0], to: sizes)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { input == output }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(unchecked: call.output, call.input.values)
  }
}

extension ReshapeOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let input = operands[0]
    guard
      let output = try? RearrangementRule.reshape(Shape(sizes: input), to: sizes).sizes,
      let groups = Self.groups(input, output)
    else { return nil }
    var ranges: [Range<Int>] = []
    for (from, to) in groups {
      guard let elements = Self.elements(of: Array(part.ranges[to]), sizes: Array(output[to])),
        let box = Self.box(of: elements, sizes: Array(input[from]))
      else { return nil }
      ranges += box
    }
    return PartialComputation(.reshape(part.sizes), [TensorPart(ranges)])
  }

  /// The axes of both tensors in groups of equally many elements, as few axes to a group as
  /// possible.
  private static func groups(
    _ from: [Int], _ to: [Int]
  ) -> [(from: Range<Int>, to: Range<Int>)]? {
    var groups: [(from: Range<Int>, to: Range<Int>)] = []
    var (i, j) = (0, 0)
    while i < from.count || j < to.count {
      let (firstFrom, firstTo) = (i, j)
      var (a, b) = (1, 1)
      func next(_ sizes: [Int], _ axis: inout Int, _ product: inout Int) {
        guard axis < sizes.count else { return }
        product *= sizes[axis]
        axis += 1
      }
      next(from, &i, &a)
      next(to, &j, &b)
      while a != b {
        guard a < b ? i < from.count : j < to.count else { return nil }
        if a < b { next(from, &i, &a) } else { next(to, &j, &b) }
      }
      groups.append((firstFrom..<i, firstTo..<j))
    }
    return groups
  }

  /// The elements of a box, counted in memory order; `nil` if they are not side by side.
  private static func elements(of box: [Range<Int>], sizes: [Int]) -> Range<Int>? {
    var (start, count) = (0, 1)
    for (range, size) in zip(box, sizes) {
      guard count == 1 || range == 0..<size else { return nil }
      start = start * size + range.lowerBound
      count *= range.count
    }
    return start..<start + count
  }

  /// The box that elements side by side are; `nil` if they are none.
  private static func box(of elements: Range<Int>, sizes: [Int]) -> [Range<Int>]? {
    guard !sizes.isEmpty else { return [] }
    var inner = sizes.reduce(1, *)
    var outer: [Range<Int>] = []
    var rest = elements.lowerBound
    for (axis, size) in sizes.enumerated() {
      inner /= size
      let position = rest / inner
      if rest.isMultiple(of: inner), elements.count.isMultiple(of: inner),
        position + elements.count / inner <= size
      {
        return outer + [position..<position + elements.count / inner]
          + sizes[(axis + 1)...].map { 0..<$0 }
      }
      outer.append(position..<position + 1)
      rest -= position * inner
    }
    return nil
  }
}
