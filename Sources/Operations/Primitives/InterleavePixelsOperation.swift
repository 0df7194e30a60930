import ForgeShapes

/// The pixels of several images in turn.
///
/// Pixel (i·height + u, j·width + v) of the output is pixel (i, j) of operand `u·width + v`.
///
/// Operands: height·width images of one shape.
package struct InterleavePixelsOperation: PrimitiveOperation {
  /// The images in a column and in a row.
  let step: Size
  /// The columns and rows left out at the right and the bottom.
  let cut: Size

  package var name: String { "interleavePixels" }
  package var traits: OperationTraits {
    let count = max(step.width.multipliedSaturated(by: step.height), 1)
    return .unweighted(
      count...count, takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(step, "step")
    try ArgumentRule.require(
      (0..<step.width).contains(cut.width) && (0..<step.height).contains(cut.height), "cut",
      cut.description, needs: "0 or more, and less than the step in each direction")
    for operand in operands where operand != operands[0] {
      throw ShapeError(
        .shapeMismatch, "the images of \(name) differ", received: operand.description,
        needs: operands[0].description)
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let input = operands[0]
    try ArgumentRule.image(input)
    return try SizeRule.bounded(
      Shape(
        width: input.width.map { $0.multipliedSaturated(by: step.width) - cut.width },
        height: input.height.map { $0.multipliedSaturated(by: step.height) - cut.height },
        channels: input.channels))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { step == .one }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(image: call.output) { y, x in
      call.operands[y % step.height * step.width + x % step.width]
        .pixel(y: y / step.height, x: x / step.width)
    }
  }
}
