import ForgeOperations
import ForgeShapes

/// Divides each value by a power of the squares of its neighbors in other channels.
///
/// `y(…, c) = x(…, c) / (bias + alpha / size · Σ x(…, k)²)^beta`, where `k` runs from max(0, c −
/// ⌊(size − 1) / 2⌋) to min(channels − 1, c + ⌈(size − 1) / 2⌉).
///
/// - Input shape: any; the last axis holds the channels.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a size below 1 or a number that is not finite.
/// - Names elsewhere: ONNX LRN, PyTorch LocalResponseNorm (whose windows of even sizes begin one
///   channel earlier), Core ML lrn, TensorFlow's local_response_normalization (whose alpha is not
///   divided by the size, and whose size is 2·depth_radius + 1).
///
/// ```swift
/// Input(width: 55, height: 55, channels: 96) --> LocalResponseNormalization(size: 5)
/// ```
public struct LocalResponseNormalization: BuiltInLayer {
  /// `LRN` for short.
  public static var summaryName: String { "LRN" }
  package let label: LayerLabel
  /// The number of neighboring channels.
  public let size: Int
  /// The factor of the mean square.
  public let alpha: Float
  /// The exponent.
  public let beta: Float
  /// The number added to the mean square.
  public let bias: Float

  /// Creates a local response normalization.
  ///
  /// - Parameters:
  ///   - size: the number of neighboring channels, including the channel itself.
  ///   - alpha: the factor of the mean square.
  ///   - beta: the exponent.
  ///   - bias: the number added to the mean square.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    size: Int, alpha: Float = 0.0001, beta: Float = 0.75, bias: Float = 1, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.size = size
    self.alpha = alpha
    self.beta = beta
    self.bias = bias
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(
      .localResponse(size: size, alpha: alpha, beta: beta, bias: bias))
  }
}
