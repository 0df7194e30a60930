import ForgeShapes

/// An operation that can compute a part of its result from parts of its operands.
package protocol PartialOperation: PrimitiveOperation {
  /// What makes a part of the result.
  ///
  /// - Parameters:
  ///   - part: the part, of as many axes as the result.
  ///   - operands: the sizes of the operands, which are valid.
  /// - Returns: what makes it; `nil` if it takes as much as the whole result.
  func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation?
}

/// What makes a part of the result of an operation.
package struct PartialComputation {
  /// An operand, as its position among those of the operation, and the part that is read.
  package struct Operand {
    package let position: Int
    package let part: TensorPart
  }

  /// The operation that makes the part; `nil` for the same operation.
  ///
  /// The identity means that the part of the only operand is the result.
  package let primitive: Primitive?
  /// The operands of this operation.
  package let operands: [Operand]

  init(_ primitive: Primitive? = nil, _ parts: [TensorPart]) {
    self.init(primitive, parts.enumerated().map { Operand(position: $0.offset, part: $0.element) })
  }

  init(_ primitive: Primitive?, _ operands: [Operand]) {
    (self.primitive, self.operands) = (primitive, operands)
  }

  /// The part of an operand is the result.
  package var isPartOfOperand: Bool {
    if case .identity? = primitive { operands.count == 1 } else { false }
  }
}

/// An operation each element of whose result depends on one element of each operand, by NumPy's
/// broadcasting.
package protocol ElementwiseOperation: PartialOperation {}

extension ElementwiseOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    PartialComputation(nil, operands.map { part.broadcast(to: $0) })
  }
}

extension ConvolutionGeometry {
  /// The window that makes the pixels of a part of an image, and the part of the input that it
  /// moves over; `nil` if it reads nothing but padding.
  ///
  /// - Parameters:
  ///   - part: rows, columns and channels of the output.
  ///   - input: height, width and channels of the input.
  /// - Returns: the window, and rows and columns of the input.
  func cut(
    to part: TensorPart, input: [Int]
  ) -> (geometry: ConvolutionGeometry, rows: Range<Int>, columns: Range<Int>)? {
    let edges = edges(width: input[1], height: input[0])
    guard
      let rows = Cut(
        part.ranges[0], before: edges.top, stride: stride.height, extent: extent.height,
        input: input[0]),
      let columns = Cut(
        part.ranges[1], before: edges.left, stride: stride.width, extent: extent.width,
        input: input[1])
    else { return nil }
    let geometry = ConvolutionGeometry(
      kernel: kernel, stride: stride, dilation: dilation,
      padding: .edges(
        Edges(top: rows.before, left: columns.before, bottom: rows.after, right: columns.after)))
    return (geometry, rows.range, columns.range)
  }

  /// What windows read along an axis.
  private struct Cut {
    /// The positions in the input.
    let range: Range<Int>
    /// The positions in the padding.
    let before, after: Int

    init?(_ windows: Range<Int>, before: Int, stride: Int, extent: Int, input: Int) {
      let first = windows.lowerBound * stride - before
      let end = (windows.upperBound - 1) * stride - before + extent
      guard max(first, 0) < min(end, input) else { return nil }
      range = max(first, 0)..<min(end, input)
      (self.before, after) = (range.lowerBound - first, end - range.upperBound)
    }
  }
}
