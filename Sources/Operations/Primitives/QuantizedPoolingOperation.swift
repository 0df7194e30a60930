import ForgeShapes

/// The maximum or the mean of a moving window of 8-bit integers; see ``QuantizedPooling``.
///
/// Operand: an image of integers.
package struct QuantizedPoolingOperation: IntegerOperation {
  let pooling: QuantizedPooling

  package var name: String { "quantizedPooling" }
  package var storage: Quantization.Storage? { pooling.output.storage }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  /// The pooling of real numbers.
  private var layer: any PrimitiveOperation {
    pooling.geometry.map { PoolingOperation(kind: pooling.kind, geometry: $0) }
      ?? GlobalPoolingOperation(kind: pooling.kind)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try pooling.input.validate()
    try pooling.output.validate()
    try layer.validate(operands)
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try layer.outputShape(for: operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    layer.workPerElement(for: operands)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    let window = pooling.window(width: input.width, height: input.height)
    let area = window.kernel.width * window.kernel.height
    return ReferenceTensor(image: call.output) { y, x in
      let taps = window.taps(over: input, y: y, x: x)
      return (0..<input.channels).map { c in
        pooling.value(of: taps.map { input[$0.y, $0.x, c] }, area: area)
      }
    }
  }
}
