import ForgeShapes

/// The maximum or the mean of each whole channel.
///
/// Operand: image.
package struct GlobalPoolingOperation: PrimitiveOperation {
  let kind: PoolingKind

  package var name: String { "globalPooling" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: true, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    .vector(try ArgumentRule.channels(of: operands[0]))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let image = Size(width: call.input.width, height: call.input.height)
    return PoolingOperation(kind: kind, geometry: ConvolutionGeometry(kernel: image))
      .reference(call)
  }
}

extension GlobalPoolingOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let image = TensorPart(allOf: operands[0])
    return PartialComputation(nil, [image.with(part.ranges[2], along: 2)])
  }
}
