import ForgeOperations

/// Permutes the axes.
///
/// Axis `i` of the output is axis `order[i]` of the input, counted from 0 in memory order: height,
/// width, channels for an image.
///
/// - Input shape: any.
/// - Output shape: the input's sizes in the new order.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an order that does not hold each axis once.
/// - Names elsewhere: Keras Permute, whose dims count from 1, ONNX Transpose and Core ML permute,
///   which count the batch as well.
///
/// ```swift
/// Input(width: 6, height: 4, channels: 2)
///   --> Permute(order: [2, 0, 1])  // channels, height, width: 2×4×6 in memory order
/// ```
public struct Permute: PrimitiveLayer {
  package let label: LayerLabel
  /// The axis of the input for each axis of the output.
  public let order: [Int]
  package var primitive: Primitive { .permute(order) }

  /// Creates a permutation.
  ///
  /// - Parameters:
  ///   - order: the axis of the input, from 0, for each axis of the output in memory order.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    order: [Int], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.order = order
    label = LayerLabel(name, fileID, line, column)
  }
}
