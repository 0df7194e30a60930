import ForgeOperations
import ForgeShapes

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
public struct Softmax: BuiltInLayer {
  package let label: LayerLabel
  /// The axis in memory order, negative from the back.
  public let axis: Int

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
    self.init(axis: -1, name: name, fileID: fileID, line: line, column: column)
  }

  /// Creates a softmax along any axis.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one softmax of the last axis, between permutations where it is another.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    lowering.output = try lowering.applyAlong(axis, to: input, .softmax(logarithm: false))
  }
}
