import ForgeOperations
import ForgeShapes

/// The products of matrices in two tensors.
///
/// `y(…, i, j) = Σₖ a(…, i, k) · b(…, k, j)`. The last two axes in memory order are the rows and
/// columns of the matrices. The axes before them are broadcast as in NumPy: sizes must be equal
/// or 1.
///
/// - Input shapes: two tensors of at least two axes, […][rows][inner] and […][inner][columns]; with
///   `transposeA` or `transposeB` the last two axes of that operand are exchanged.
/// - Output shape: […][rows][columns].
/// - Parameters: none.
/// - Errors: `wrongInputCount` for any other number of tensors, `shapeMismatch` for fewer than two
///   axes, or sizes that do not fit.
/// - Names elsewhere: NumPy, Keras and ONNX MatMul, Core ML batchedMatmul.
///
/// ```swift
/// [Input(shape: [8, 5, 64]), Input(shape: [8, 7, 64])] --> MatMul(transposeB: true)  // 8×5×7
/// ```
public struct MatMul: BuiltInLayer {
  package let label: LayerLabel
  /// Whether the rows and columns of the first operand are exchanged.
  public let transposeA: Bool
  /// Whether the rows and columns of the second operand are exchanged.
  public let transposeB: Bool

  /// Creates a product of matrices.
  ///
  /// - Parameters:
  ///   - transposeA: whether the rows and columns of the first operand are exchanged.
  ///   - transposeB: whether the rows and columns of the second operand are exchanged.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    transposeA: Bool = false, transposeB: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.transposeA = transposeA
    self.transposeB = transposeB
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one product, after permutations where operands are transposed.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 2, to: 2, example: "[a, b] --> MatMul()")
    let left = try matrix(lowering.inputs[0], isTransposed: transposeA, in: &lowering)
    let right = try matrix(lowering.inputs[1], isTransposed: transposeB, in: &lowering)
    lowering.output = try lowering.apply(.matrixProduct, to: [left, right])
  }

  private func matrix(
    _ value: Lowering.Value, isTransposed: Bool, in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    let rank = lowering.shape(of: value).rank
    guard isTransposed, rank >= 2 else { return value }
    return try lowering.apply(
      .permute(Array(0..<rank - 2) + [rank - 1, rank - 2]), to: [value])
  }
}
