import ForgeOperations
import ForgeShapes

/// The largest value of each whole channel of a sequence.
///
/// `y(c) = max x(t, c)` over all steps `t`.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (1, 1, channels), a vector, as from ``GlobalMaxPooling``.
/// - Parameters: none.
/// - Errors: `shapeMismatch` for an input that is not a sequence, `unknownSize` for a sequence of
///   unknown length.
/// - Names elsewhere: Keras GlobalMaxPooling1D, ONNX GlobalMaxPool.
///
/// ```swift
/// x --> Reshape(to: [128, 40]) --> GlobalMaxPooling1D()  // (1, 1, 40)
/// ```
public struct GlobalMaxPooling1D: SequenceLayer {
  /// `GlbMaxPl1D` for short.
  public static var summaryName: String { "GlbMaxPl1D" }
  package let label: LayerLabel

  /// Creates a one-dimensional global max pooling.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one global pooling of an image of one row.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(
      .globalPooling(.maximum), to: [try lowering.sequence()])
  }
}
