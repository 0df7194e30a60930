import ForgeShapes

/// A convolution or a dense layer of 8-bit integers.
///
/// `s(o) = Σ (q(i) − zeroPoint) · w(o, i)` is exact. The whole numbers `w` are the weights over
/// ``weightScales``; see ``QuantizedWeights``. Then, in Float32,
///
/// - integers: `y(o) = clamp(round(float(s(o) + b(o)) · m(o)) + output.zeroPoint)` with
///   `m(o) = input.scale · weightScales(o) / output.scale`, and the integer bias
///   `b(o) = round(bias(o) / (input.scale · weightScales(o)))`;
/// - real numbers: `y(o) = float(s(o)) · (input.scale · weightScales(o)) + bias(o)`.
///
/// Source: ONNX, QLinearConv.
public struct QuantizedProduct: Sendable, Encodable {
  /// Which inputs belong to an output.
  package enum Form: Sendable, Encodable {
    /// Those of a window and a group of channels.
    case convolution(ConvolutionGeometry, outputs: Int, groups: Int)
    /// Those of a window and one channel.
    case depthwise(ConvolutionGeometry, multiplier: Int)
    /// All.
    case dense(outputs: Int)

    /// The layer's operation on real numbers.
    package var layer: any WeightedOperation {
      switch self {
      case .convolution(let geometry, let outputs, let groups):
        ConvolutionOperation(geometry: geometry, outputs: outputs, groups: groups)
      case .depthwise(let geometry, let multiplier):
        DepthwiseConvolutionOperation(geometry: geometry, multiplier: multiplier)
      case .dense(let outputs): DenseOperation(outputs: outputs)
      }
    }

    /// The exact sums `Σ (q − zeroPoint) · w` of a call, whose first operand are integers and whose
    /// second one are the weights as real numbers.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - zeroPoint: the integer that stands for 0.
    ///   - scales: what the integer 1 stands for in the weights of each output.
    ///   - biases: whole numbers that are added.
    /// - Returns: the sums, which double precision has.
    /// - Throws: ``ReferenceError`` if the weights are not integers times their scales.
    func sums(
      _ call: ReferenceCall, zeroPoint: Double, scales: [Float], biases: [Int32]? = nil
    ) throws(ReferenceError) -> ReferenceTensor {
      let weights = call.operands[1]
      let integers = weights.floats.withUnsafeBufferPointer {
        QuantizedWeights($0, scales: scales)
      }
      guard let integers else {
        throw ReferenceError(
          .invalidArgument, "the weights are not integers times the scales of their outputs")
      }
      var operands = [
        call.input.map { $0 - zeroPoint },
        ReferenceTensor(unchecked: weights.sizes, integers.differences()),
      ]
      if let biases {
        operands.append(ReferenceTensor(unchecked: [biases.count], biases.map { Double($0) }))
      }
      return try layer.reference(
        ReferenceCall(operands: operands, output: call.output, crops: call.crops))
    }
  }

  /// The layer.
  package let form: Form
  /// The integers of the input.
  package let input: Quantization
  /// The real number that the integer 1 stands for in the weights of each output.
  package let weightScales: [Float]
  /// Whether weights have zero points.
  package let hasWeightZeros: Bool
  /// The integers of the result; `nil` for real numbers.
  package let output: Quantization?
  /// The least and the greatest integer of the result, which an activation narrows.
  package let bounds: ClosedRange<Int>

  package init(
    form: Form, input: Quantization, weightScales: [Float], hasWeightZeros: Bool,
    output: Quantization?, bounds: ClosedRange<Int>
  ) {
    self.form = form
    self.input = input
    self.weightScales = weightScales
    self.hasWeightZeros = hasWeightZeros
    self.output = output
    self.bounds = bounds
  }

  /// The scale of the sums of an output.
  package func sumScale(_ output: Int) -> Float { input.scale * weightScales[output] }

  /// The factor from the sums of each output to its integers.
  package var multipliers: [Float] {
    guard let output else { return weightScales.indices.map(sumScale) }
    return weightScales.indices.map { sumScale($0) / output.scale }
  }

  /// The integers of the biases; `nil` if one is beyond 2³⁰, or not a whole number except for the
  /// rounding of its scale.
  package func integers(ofBiases biases: some Sequence<Float>) -> [Int32]? {
    var integers: [Int32] = []
    for (output, bias) in biases.enumerated() {
      let exact = Double(bias) / Double(sumScale(output))
      let quotient = exact.rounded(.toNearestOrEven)
      guard abs(quotient) <= 0x1p30, let integer = Int32(exactly: quotient),
        abs(exact - quotient) <= max(0x1p-20 * abs(exact), 0x1p-10)
      else { return nil }
      integers.append(integer)
    }
    return integers
  }

  /// The result of an exact sum, bias included if the result is an integer.
  func result(_ sum: Double, _ multiplier: Float, bias: Double) -> Double {
    guard let output else { return Double(Float(sum) * multiplier + Float(bias)) }
    let integer = output.clamped((Float(sum) * multiplier).rounded(.toNearestOrEven))
    return Double(min(max(integer, bounds.lowerBound), bounds.upperBound))
  }
}
