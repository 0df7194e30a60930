import ForgeOperations
import ForgeShapes

/// The sums of the elements along an axis up to each one.
///
/// `y(i) = Σ x(j)` over `j ≤ i`; `j < i` if exclusive; from the other end if reversed.
///
/// - Input shape: any.
/// - Output shape: the same.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the tensor does not have.
/// - Names elsewhere: NumPy cumsum, ONNX CumSum, Core ML cumSum.
///
/// ```swift
/// x --> CumulativeSum(axis: 0)
/// ```
public struct CumulativeSum: BuiltInLayer {
  /// `CumSum`.
  public static var summaryName: String { "CumSum" }
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int
  /// Whether an element is left out of its own sum.
  public let exclusive: Bool
  /// Whether the sums begin at the end.
  public let reversed: Bool

  /// Creates running sums.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - exclusive: whether an element is left out of its own sum.
  ///   - reversed: whether the sums begin at the end.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int, exclusive: Bool = false, reversed: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    self.exclusive = exclusive
    self.reversed = reversed
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation along the last axis, between permutations where it is another.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    lowering.output = try lowering.applyAlong(
      axis, to: input, .cumulativeSum(exclusive: exclusive, reversed: reversed))
  }
}
