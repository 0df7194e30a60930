import ForgeOperations
import ForgeShapes

/// The index of the smallest element along an axis.
///
/// `y = arg min x`. Of equal elements the first counts, or with `selectsLast` the last. NaN counts
/// as the smallest.
///
/// - Input shape: any.
/// - Output shape: the same without the axis, or with size 1 along it.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the tensor does not have, `tooLarge` for an axis of
///   more than 2²⁴ entries, `unknownSize`.
/// - Names elsewhere: NumPy argmin, ONNX ArgMin, Core ML argMin.
///
/// ```swift
/// Input(shape: [5, 10]) --> ArgMin(axis: -1)  // [5]
/// ```
public struct ArgMin: BuiltInLayer {
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int
  /// Whether the axis stays with size 1.
  public let keepsDimensions: Bool
  /// Whether the last of equal elements counts.
  public let selectsLast: Bool

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - keepsDimensions: whether the axis stays with size 1.
  ///   - selectsLast: whether the last of equal elements counts.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int, keepsDimensions: Bool = false, selectsLast: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    self.keepsDimensions = keepsDimensions
    self.selectsLast = selectsLast
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation along the last axis, between permutations where it is another.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let found = try lowering.applyAlong(
      axis, to: input, .argumentRows(smallest: true, selectsLast: selectsLast))
    lowering.output = keepsDimensions ? found : try lowering.squeezed(found, axis: axis)
  }
}
