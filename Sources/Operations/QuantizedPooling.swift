import ForgeShapes

/// A pooling of 8-bit integers.
///
/// The maximum is that of the integers. A mean is
/// `clamp(round(float(Σ (q − input.zeroPoint)) · (factor / n)) + output.zeroPoint)` in Float32,
/// with `factor = input.scale / output.scale` and `n` the number of pixels that the kind divides
/// by.
public struct QuantizedPooling: Sendable, Encodable {
  /// The function of each window.
  package let kind: PoolingKind
  /// The window; `nil` for the whole image.
  package let geometry: ConvolutionGeometry?
  /// The integers of the input.
  package let input: Quantization
  /// The integers of the result; those of the input for the maximum.
  package let output: Quantization

  package init(
    kind: PoolingKind, geometry: ConvolutionGeometry?, input: Quantization, output: Quantization
  ) {
    self.kind = kind
    self.geometry = geometry
    self.input = input
    self.output = output
  }

  /// The factor from sums to means in the integers of the result.
  package var factor: Float { input.scale / output.scale }

  /// The window of an image.
  package func window(width: Int, height: Int) -> ConvolutionGeometry {
    geometry ?? ConvolutionGeometry(kernel: Size(width: width, height: height))
  }

  /// The integer for those of a window of `area` pixels that lie inside the image.
  func value(of integers: [Double], area: Int) -> Double {
    guard let first = integers.first else { return Double(input.zeroPoint) }
    if kind == .maximum { return integers.dropFirst().reduce(first, max) }
    let sum = integers.reduce(0) { $0 + $1 - Double(input.zeroPoint) }
    let count = kind == .averageInside ? integers.count : area
    return Double(
      output.clamped((Float(sum) * (factor / Float(count))).rounded(.toNearestOrEven)))
  }
}
