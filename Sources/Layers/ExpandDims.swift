import ForgeOperations
import ForgeShapes

/// Adds axes of size 1.
///
/// - Input shape: any of known sizes.
/// - Output shape: the same with size 1 at the axes, which count in the output.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the output does not have or that is named twice, or
///   too many axes, `unknownSize`.
/// - Names elsewhere: NumPy expand_dims, ONNX Unsqueeze, Core ML expandDims.
///
/// ```swift
/// Input(shape: [5]) --> ExpandDims(axes: [0, 2])  // 1×5×1
/// ```
public struct ExpandDims: BuiltInLayer {
  package let label: LayerLabel
  /// The axes of the output in memory order.
  public let axes: [Int]

  /// Creates an addition of axes.
  ///
  /// - Parameters:
  ///   - axes: the axes of the output in memory order, negative from the back.
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
    let sizes = try ArgumentRule.known(lowering.shape(of: input), "known sizes")
    let rank = sizes.count + axes.count
    try ArgumentRule.require(
      rank <= Shape.maximumRank, "axes", "\(axes)",
      needs: "at most \(Shape.maximumRank) axes in all")
    var added: Set<Int> = []
    for axis in axes {
      try ArgumentRule.require(
        added.insert(try CombinationRule.axis(axis, rank: rank)).inserted, "axes", "\(axes)",
        needs: "each axis once")
    }
    var rest = sizes[...]
    let target = (0..<rank).map { added.contains($0) ? 1 : rest.popFirst() ?? 1 }
    lowering.output = try lowering.apply(.reshape(target), to: [input])
  }
}
