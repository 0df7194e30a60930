import ForgeShapes

/// The sum or the product of two tensors of 8-bit integers.
///
/// In Float32, with `a` and `b` the integers of the operands less their zero points,
///
/// - `z = a · (first.scale / output.scale) + b · (second.scale / output.scale)`, or
/// - `z = float(a · b) · (first.scale · second.scale / output.scale)`;
///
/// `y = clamp(round(z + output.zeroPoint))`, where numbers of int8 are counted from −128.
/// Source: ONNX Runtime, QLinearAdd and QLinearMul.
public struct QuantizedPair: Sendable, Encodable {
  /// What is done with the real numbers.
  package enum Function: Sendable, Encodable {
    /// `a + b`.
    case add
    /// `a · b`.
    case multiply
  }

  /// The function of the real numbers.
  package let function: Function
  /// The integers of the operands.
  package let first, second: Quantization
  /// The integers of the result.
  package let output: Quantization
  /// The least and the greatest integer of the result, which an activation narrows.
  package let bounds: ClosedRange<Int>

  package init(
    function: Function, first: Quantization, second: Quantization, output: Quantization,
    bounds: ClosedRange<Int>
  ) {
    self.function = function
    self.first = first
    self.second = second
    self.output = output
    self.bounds = bounds
  }

  /// The factors of the integers of the first and of the second operand; of a product, that of the
  /// product and 0.
  package var factors: (Float, Float) {
    switch function {
    case .add: (first.scale / output.scale, second.scale / output.scale)
    case .multiply: (first.scale * second.scale / output.scale, 0)
    }
  }

  /// The integer for two integers.
  func value(_ first: Double, _ second: Double) -> Double {
    let (a, b) = (
      Float(first) - Float(self.first.zeroPoint), Float(second) - Float(self.second.zeroPoint)
    )
    let z = function == .add ? a * factors.0 + b * factors.1 : a * b * factors.0
    // Bytes are stored from 0 on.
    let least = output.storage.range.lowerBound
    let byte = (z + Float(output.zeroPoint - least)).rounded(.toNearestOrEven)
    guard byte > Float(bounds.lowerBound - least) else { return Double(bounds.lowerBound) }
    return Double(min(byte, Float(bounds.upperBound - least))) + Double(least)
  }
}
