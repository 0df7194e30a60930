import ForgeShapes

/// The function that a pooling applies to its window.
public enum PoolingKind: Hashable, Sendable, Encodable {
  /// The largest value.
  case maximum
  /// The mean of the pixels inside the image (TensorFlow's and Keras's rule).
  case averageInside
  /// The sum divided by the kernel's area, with the border as zeros (PyTorch's default).
  case averageAll

  /// The result for the values of a window of `area` pixels that lie inside the image; 0 for none.
  func value(of values: [Double], area: Int) -> Double {
    guard let first = values.first else { return 0 }
    switch self {
    case .maximum: return values.dropFirst().reduce(first, BinaryOperator.maximum.value)
    case .averageInside: return values.reduce(0, +) / Double(values.count)
    case .averageAll: return values.reduce(0, +) / Double(area)
    }
  }
}

/// The maximum or the mean of a moving window, channel by channel.
///
/// Operand: image.
package struct PoolingOperation: PrimitiveOperation {
  let kind: PoolingKind
  let geometry: ConvolutionGeometry

  package var name: String { "pooling" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: true, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try geometry.validate() }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let channels = try ArgumentRule.channels(of: operands[0])
    return try geometry.outputShape(
      for: operands[0], channels: channels, tooLarge: .kernelLargerThanInput)
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    geometry.kernel.width.multipliedSaturated(by: geometry.kernel.height)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    let area = geometry.kernel.width * geometry.kernel.height
    return ReferenceTensor(image: call.output) { y, x in
      let taps = geometry.taps(over: input, y: y, x: x)
      return (0..<input.channels).map { c in
        kind.value(of: taps.map { input[$0.y, $0.x, c] }, area: area)
      }
    }
  }
}

extension PoolingOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    guard let (geometry, rows, columns) = geometry.cut(to: part, input: operands[0]) else {
      return nil
    }
    return PartialComputation(
      .pooling(kind, geometry), [TensorPart([rows, columns, part.ranges[2]])])
  }
}
