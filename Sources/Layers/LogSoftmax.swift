import ForgeOperations
import ForgeShapes

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
public struct LogSoftmax: BuiltInLayer {
  package let label: LayerLabel
  /// The axis in memory order, negative from the back.
  public let axis: Int

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
    self.init(axis: -1, name: name, fileID: fileID, line: line, column: column)
  }

  /// Creates a logarithm of a softmax along any axis.
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
    lowering.output = try lowering.applyAlong(axis, to: input, .softmax(logarithm: true))
  }
}
