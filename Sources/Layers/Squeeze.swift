import ForgeOperations
import ForgeShapes

/// Removes axes of size 1.
///
/// - Input shape: any with size 1 along the axes.
/// - Output shape: the other sizes; [1] if none is left.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the tensor does not have, `shapeMismatch` for an
///   axis of another size, `unknownSize`.
/// - Names elsewhere: NumPy squeeze, ONNX Squeeze, Core ML squeeze.
///
/// ```swift
/// Input(shape: [1, 5, 1]) --> Squeeze(axes: [0])  // 5×1
/// ```
public struct Squeeze: BuiltInLayer {
  package let label: LayerLabel
  /// The axes in memory order.
  public let axes: [Int]

  /// Creates a removal of axes.
  ///
  /// - Parameters:
  ///   - axes: the axes in memory order, negative from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axes: [Int], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axes = axes
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a reshape.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let sizes = try ArgumentRule.known(lowering.shape(of: input), "known sizes to squeeze")
    var gone: Set<Int> = []
    for axis in axes { gone.insert(try CombinationRule.axis(axis, rank: sizes.count)) }
    for axis in gone.sorted() {
      try ArgumentRule.require(
        sizes[axis] == 1, "axes", "axis \(axis) of size \(sizes[axis])", needs: "an axis of size 1")
    }
    let kept = sizes.indices.filter { !gone.contains($0) }.map { sizes[$0] }
    lowering.output = try lowering.apply(.reshape(kept.isEmpty ? [1] : kept), to: [input])
  }
}
