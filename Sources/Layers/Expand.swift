import ForgeOperations
import ForgeShapes

/// Repeats axes of size 1, and adds axes in front, to given sizes.
///
/// `y(i) = x(j)`, where `j` is 0 along each axis of size 1 and that of `i` along the others.
///
/// - Input shape: any of known sizes, which are those of `sizes` or 1, aligned at the last axis.
/// - Output shape: `sizes`, where 1 stands for the input's own size.
/// - Parameters: none.
/// - Errors: `shapeMismatch` for sizes that do not fit, `unknownSize`, `tooLarge`.
/// - Names elsewhere: NumPy broadcast_to, ONNX Expand, Core ML broadcastToStatic.
///
/// ```swift
/// Input(shape: [3, 1]) --> Expand(to: [2, 3, 4])  // 2×3×4
/// ```
public struct Expand: BuiltInLayer {
  package let label: LayerLabel
  /// The sizes in memory order.
  public let sizes: [Int]

  /// Creates a repetition.
  ///
  /// - Parameters:
  ///   - sizes: the sizes in memory order.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    to sizes: [Int], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.sizes = sizes
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a reshape and one repetition.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    _ = try ArgumentRule.known(shape, "known sizes to repeat")
    try ArgumentRule.require(
      !sizes.isEmpty && sizes.count <= Shape.maximumRank && sizes.allSatisfy { $0 >= 1 },
      "sizes", "\(sizes)", needs: "1 to \(Shape.maximumRank) positive sizes")
    let target = try CombinationRule.broadcast([shape, Shape(sizes: sizes)])
    lowering.output = try lowering.expanded(input, to: target)
  }
}

extension Lowering {
  /// A value with axes of size 1 repeated to a shape, and axes of size 1 in front of it.
  fileprivate mutating func expanded(
    _ value: Value, to target: Shape
  ) throws(ShapeError) -> Value {
    let inputShape = shape(of: value)
    guard inputShape != target else { return value }
    let sizes = try ArgumentRule.known(target, "known sizes to repeat to")
    let known = try ArgumentRule.known(inputShape, "known sizes to repeat")
    let padded = Array(repeating: 1, count: max(sizes.count - known.count, 0)) + known
    let ranked = padded == known ? value : try apply(.reshape(padded), to: [value])
    return padded == sizes ? ranked : try apply(.expand(sizes), to: [ranked])
  }
}
