import ForgeOperations

/// Converts values to probabilities along the last axis: positive numbers whose sum is 1.
///
/// `y(c) = exp x(c) / Σ exp x(k)`, where the sum runs over all `k` of the last axis; these are the
/// channels of each pixel of an image.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: none except for the number of inputs.
/// - Names elsewhere: Keras Softmax, ONNX Softmax with axis −1, Core ML softmax.
///
/// ```swift
/// x --> Dense(neurons: 10, name: "fc2") --> Softmax()  // (1, 1, 10)
/// ```
public struct Softmax: PrimitiveLayer {
  package let label: LayerLabel
  package var primitive: Primitive { .softmax(logarithm: false) }

  /// Creates a softmax.
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
