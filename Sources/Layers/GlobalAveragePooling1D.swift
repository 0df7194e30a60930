import ForgeOperations
import ForgeShapes

/// The mean of each whole channel of a sequence.
///
/// `y(c) = Σ x(t, c) / time` over all steps `t`.
///
/// - Input shape: (time, channels) in memory order.
/// - Output shape: (1, 1, channels), a vector, as from ``GlobalAveragePooling``.
/// - Parameters: none.
/// - Errors: `shapeMismatch` for an input that is not a sequence, `unknownSize` for a sequence of
///   unknown length.
/// - Names elsewhere: Keras GlobalAveragePooling1D, ONNX GlobalAveragePool.
///
/// ```swift
/// x --> Reshape(to: [128, 40]) --> GlobalAveragePooling1D()  // (1, 1, 40)
/// ```
public struct GlobalAveragePooling1D: SequenceLayer {
  /// `GlbAvgPl1D` for short.
  public static var summaryName: String { "GlbAvgPl1D" }
  package let label: LayerLabel

  /// Creates a one-dimensional global average pooling.
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
      .globalPooling(.averageInside), to: [try lowering.sequence()])
  }
}
