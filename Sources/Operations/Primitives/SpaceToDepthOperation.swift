import ForgeShapes

/// Blocks of pixels moved into channels.
///
/// Of `n` input channels, channels `(u·width + v)·n…` of pixel (i, j) are those of pixel
/// (i·height + u, j·width + v).
///
/// Operand: image.
package struct SpaceToDepthOperation: PrimitiveOperation {
  /// The pixels of a block.
  let block: Size

  package var name: String { "spaceToDepth" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(block, "block")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try ArgumentRule.positive(block, "block")
    let input = operands[0]
    let channels = try ArgumentRule.channels(of: input)
    guard (input.width ?? block.width).isMultiple(of: block.width),
      (input.height ?? block.height).isMultiple(of: block.height)
    else {
      throw ShapeError(
        .shapeMismatch, "the image cannot be divided into blocks", received: input.description,
        needs: "a width and a height that are multiples of \(block)")
    }
    return try SizeRule.bounded(
      Shape(
        width: input.width.map { $0 / block.width }, height: input.height.map { $0 / block.height },
        channels: channels.multipliedSaturated(by: block.width)
          .multipliedSaturated(by: block.height)))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { block == .one }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(image: call.output) { y, x in
      (0..<block.height).flatMap { u in
        (0..<block.width).flatMap { v in
          call.input.pixel(y: y * block.height + u, x: x * block.width + v)
        }
      }
    }
  }
}
