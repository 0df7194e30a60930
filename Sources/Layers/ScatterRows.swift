import ForgeOperations
import ForgeShapes

/// Writes updates into entries of an axis, at indices from another tensor.
///
/// `y = x`, then for the indices in memory order `y(a…, p(i…), b…) = f(y(a…, p(i…), b…),
/// u(a…, i…, b…))`, where `p` are whole numbers, negative from the end, and `f` replaces, adds,
/// multiplies, or takes the smaller or larger one. Several updates of one entry are applied in
/// order, so the result does not depend on the number of threads.
///
/// - Input shapes: the data, of any shape; the indices, of any shape; the updates, of the data's
///   shape with the axis replaced by the axes of the indices.
/// - Output shape: that of the data.
/// - Parameters: none.
/// - Errors: `wrongInputCount`, `shapeMismatch`, `invalidArgument` for an axis that the data does
///   not have, `tooLarge` for an axis of more than 2²⁴ entries. An index that the axis does not
///   have is a `PredictionError` of kind `invalidIndex`.
/// - Names elsewhere: PyTorch index_copy and index_add, ONNX ScatterND, Core ML scatter.
///
/// ```swift
/// [a, b, c] --> ScatterRows(combination: .add)
/// ```
public struct ScatterRows: BuiltInLayer {
  /// `ScatRows`.
  public static var summaryName: String { "ScatRows" }
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int
  /// How an update is combined with the element that it meets.
  public let combination: ScatterCombination

  /// Creates the layer.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - combination: how an update is combined with the element that it meets.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int = 0, combination: ScatterCombination = .replace, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    self.combination = combination
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation, after reshapes of the indices and of updates with several axes.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let (inputs, shapes) = (lowering.inputs, lowering.inputs.map { lowering.shape(of: $0) })
    try ArgumentRule.count(
      shapes, from: 3, to: 3, example: "[data, indices, updates] --> ScatterRows()")
    let axis = try CombinationRule.axis(axis, rank: shapes[0].rank)
    let (data, indices) = (shapes[0].dimensions, shapes[1].dimensions)
    guard shapes[2].dimensions == data[..<axis] + indices + data[(axis + 1)...] else {
      throw ShapeError(
        .shapeMismatch, "the updates do not fit the data and the indices",
        received: shapes[2].sizeText,
        needs: "the sizes of the data, \(shapes[0].sizeText), with those of the indices, "
          + "\(shapes[1].sizeText), instead of axis \(axis)")
    }
    let isKnown = !indices.contains(nil)
    let count = isKnown ? indices.reduce(1) { $0 * ($1 ?? 1) } : -1
    var sizes = Array(repeating: 1, count: data.count)
    sizes[axis] = count
    let rowIndices = try lowering.apply(.reshape(sizes), to: [inputs[1]])
    var updates = inputs[2]
    if indices.count != 1 {
      sizes = data.map { $0 ?? -1 }
      sizes[axis] = count
      updates = try lowering.apply(.reshape(sizes), to: [updates])
    }
    lowering.output = try lowering.apply(
      .scatterElements(axis: axis, combination), to: [inputs[0], rowIndices, updates])
  }
}
