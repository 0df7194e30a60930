import ForgeOperations

/// Applies a function to each element.
///
/// `y = f(x)`; see ``UnaryFunction``.
///
/// - Input shape: any.
/// - Output shape: the same.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an argument of the function that is not finite, or an alpha of
///   `celu` of 0.
/// - Names elsewhere: ONNX Abs, Neg, Sqrt, Exp, Erf and so on, Core ML unary.
///
/// ```swift
/// x --> Unary(.squareRoot)
/// ```
public struct Unary: PrimitiveLayer {
  package let label: LayerLabel
  /// The function.
  public let function: UnaryFunction
  package var primitive: Primitive { .unary(function) }

  /// Creates a function.
  ///
  /// - Parameters:
  ///   - function: the function.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ function: UnaryFunction, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.function = function
    label = LayerLabel(name, fileID, line, column)
  }
}
