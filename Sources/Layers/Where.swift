import ForgeOperations
import ForgeShapes

/// Chooses between two tensors, element by element.
///
/// `y = x₁ ≠ 0 ? x₂ : x₃`, with NumPy's broadcasting. NaN counts as true.
///
/// - Input shapes: the condition and two tensors, whose sizes are equal or 1.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for another number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `unknownSize` for sizes that are not known and differ.
/// - Names elsewhere: ONNX Where, Core ML whereBroadcastable.
///
/// ```swift
/// [a, a, b] --> Where()
/// ```
public struct Where: BuiltInLayer {
  package let label: LayerLabel

  /// Creates a choice.
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

  /// Lowers to one operation on operands of the same shape.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 3, to: 3, example: "[condition, a, b] --> Where()")
    let shape = try CombinationRule.broadcast(shapes)
    var operands: [Lowering.Value] = []
    for input in lowering.inputs {
      operands.append(try lowering.expanded(input, to: shape))
    }
    lowering.output = try lowering.apply(.select, to: operands)
  }
}

extension Lowering {
  /// A value with axes of size 1 repeated to a shape, and axes of size 1 in front of it.
  mutating func expanded(_ value: Value, to target: Shape) throws(ShapeError) -> Value {
    let own = shape(of: value)
    guard own != target else { return value }
    let sizes = try ArgumentRule.known(target, "known sizes to repeat to")
    let known = try ArgumentRule.known(own, "known sizes to repeat")
    let padded = Array(repeating: 1, count: max(sizes.count - known.count, 0)) + known
    let ranked = padded == known ? value : try apply(.reshape(padded), to: [value])
    return padded == sizes ? ranked : try apply(.expand(sizes), to: [ranked])
  }
}
