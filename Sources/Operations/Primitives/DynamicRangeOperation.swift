import ForgeShapes

/// The scale and the zero point of integers from 0 to 255 that cover 0 and every element.
///
/// With `least = min(0, x)` and `greatest = max(0, x)` over all elements, in Float32,
/// `scale = (greatest − least) / 255`, or 1 where that is 0, and
/// `zeroPoint = round(clamp(−least / scale))`, with halves rounded to even numbers. Source: ONNX,
/// DynamicQuantizeLinear.
///
/// Operand: any tensor. Result: [2], the scale and the zero point.
package struct DynamicRangeOperation: PrimitiveOperation {
  package var name: String { "dynamicRange" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {}

  package func outputShape(for operands: [Shape]) -> Shape { Shape(sizes: [2]) }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let range = Range(call.input.floats)
    return ReferenceTensor(unchecked: [2], [Double(range.scale), range.zeroPoint])
  }

  /// The scale and the zero point of some numbers.
  struct Range {
    /// The distance of neighboring integers; NaN if a number is.
    let scale: Float
    /// The integer that stands for 0.
    let zeroPoint: Double

    /// Finds the range of numbers.
    init(_ values: [Float]) {
      guard !values.contains(where: \.isNaN) else {
        (scale, zeroPoint) = (.nan, 0)
        return
      }
      let (least, greatest) = (min(values.min() ?? 0, 0), max(values.max() ?? 0, 0))
      guard least != greatest else {
        (scale, zeroPoint) = (1, 0)
        return
      }
      scale = (greatest - least) / 255
      let zero = -least / scale
      // An infinite range has no zero point but 0.
      zeroPoint = zero > 0 ? Double(min(zero, 255).rounded(.toNearestOrEven)) : 0
    }

    /// The integer of a number less the zero point.
    func difference(_ x: Float) -> Double {
      // The arithmetic does not need a scale that is a valid one.
      let quantization = Quantization(scale: scale, zeroPoint: Int(zeroPoint), storage: .uint8)
      return Double(quantization.integer(Double(x))) - zeroPoint
    }
  }
}
