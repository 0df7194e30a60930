import ForgeOperations
import ForgeShapes

/// The largest, or smallest, elements along an axis in order, or their indices.
///
/// Of equal elements the first comes first; NaN comes last.
///
/// - Input shape: any, with at least `count` elements along the axis.
/// - Output shape: the same with `count` elements along the axis.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the tensor does not have or a count out of range,
///   `tooLarge` for an axis of more than 2²⁴ entries.
/// - Names elsewhere: ONNX TopK, Core ML topK.
///
/// ```swift
/// scores --> TopK(count: 5, output: .indices)
/// ```
public struct TopK: BuiltInLayer {
  /// What a ranking returns.
  public enum Output: Hashable, Sendable {
    /// The elements.
    case values
    /// Their indices along the axis.
    case indices
  }

  package let label: LayerLabel
  /// The number of elements.
  public let count: Int
  /// The axis in memory order.
  public let axis: Int
  /// Whether the largest elements are taken.
  public let largest: Bool
  /// Whether the order matters; the result is always in order.
  public let sorted: Bool
  /// What the result holds.
  public let output: Output

  /// Creates a ranking.
  ///
  /// - Parameters:
  ///   - count: the number of elements.
  ///   - axis: the axis in memory order, negative from the back.
  ///   - largest: whether the largest elements are taken.
  ///   - sorted: whether the order matters; the result is always in order.
  ///   - output: what the result holds.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    count: Int, axis: Int = -1, largest: Bool = true, sorted: Bool = true, output: Output = .values,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.count = count
    self.axis = axis
    self.largest = largest
    self.sorted = sorted
    self.output = output
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation along the last axis, between permutations where it is another.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    lowering.output = try lowering.applyAlong(
      axis, to: input,
      .topRows(count: count, smallest: !largest, places: output == .indices))
  }
}
