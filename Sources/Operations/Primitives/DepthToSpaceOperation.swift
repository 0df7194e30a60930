import ForgeShapes

/// Channels moved into blocks of pixels.
///
/// Of `n` output channels, pixel (i·height + u, j·width + v) has channels `(u·width + v)·n…` of
/// pixel (i, j), or with `interleaved` channels `c·height·width + u·width + v`.
///
/// Operand: image.
package struct DepthToSpaceOperation: PrimitiveOperation {
  /// The pixels of a block.
  let block: Size
  /// Whether the position in the block is the inner index of a channel.
  let interleaved: Bool

  package var name: String { "depthToSpace" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(block, "block")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try ArgumentRule.positive(block, "block")
    let channels = try ArgumentRule.channels(of: operands[0])
    let area = block.width.multipliedSaturated(by: block.height)
    try GroupRule.divides(area, input: channels, output: area)
    return try SizeRule.bounded(
      Shape(
        width: operands[0].width?.multipliedSaturated(by: block.width),
        height: operands[0].height?.multipliedSaturated(by: block.height),
        channels: channels / area))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { block == .one }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (channels, area) = (call.output[2], block.width * block.height)
    return ReferenceTensor(image: call.output) { y, x in
      let pixel = call.input.pixel(y: y / block.height, x: x / block.width)
      let position = y % block.height * block.width + x % block.width
      return (0..<channels).map {
        pixel[interleaved ? $0 * area + position : position * channels + $0]
      }
    }
  }
}
