import ForgeOperations

/// The natural logarithm of the ``Softmax`` along the last axis.
///
/// `y(c) = x(c) − ln Σ exp x(k)`, the sum over all `k` of the last axis; the channels of each pixel
/// of an image.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: none except for the number of inputs.
/// - Names elsewhere: Keras log_softmax, ONNX LogSoftmax with axis −1, Core ML softmax and a unary
///   log.
///
/// ```swift
/// x --> Dense(neurons: 10, name: "fc2") --> LogSoftmax()  // (1, 1, 10)
/// ```
public struct LogSoftmax: PrimitiveLayer {
  package let label: LayerLabel
  package var primitive: Primitive { .softmax(logarithm: true) }

  /// Creates a logarithmic softmax.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }
}
