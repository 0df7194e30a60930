import ForgeShapes

/// Channel `i` of the output is channel `order[i]` of the input.
///
/// Operand: image.
package struct GatherChannelsOperation: PrimitiveOperation {
  let order: [Int]

  package var name: String { "gatherChannels" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let channels = try ArgumentRule.channels(of: operands[0])
    guard !order.isEmpty, order.allSatisfy({ (0..<channels).contains($0) }) else {
      throw .outOfRange("order", "\(order)", needs: "one or more numbers from 0 to \(channels - 1)")
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try ArgumentRule.image(operands[0])
    return Shape(width: operands[0].width, height: operands[0].height, channels: order.count)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    order == Array(order.indices) && order.count == input.channels
  }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let input = call.input
    guard !order.isEmpty else { throw .emptyOrder() }
    for channel in order where !(0..<input.channels).contains(channel) {
      throw .channelOutOfRange(channel, channels: input.channels)
    }
    return ReferenceTensor(image: call.output) { y, x in order.map { input[y, x, $0] } }
  }
}

extension GatherChannelsOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let taken = order[part.ranges[2]]
    guard let first = taken.min(), let last = taken.max() else { return nil }
    let input = part.with(first..<last + 1, along: 2)
    let relative = taken.map { $0 - first }
    return PartialComputation(
      relative == Array(0..<last + 1 - first) ? .identity : .gatherChannels(relative), [input])
  }
}
