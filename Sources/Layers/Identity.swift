import ForgeOperations

/// Returns its input under another name.
///
/// `y = x`. The compiler removes the layer; its name stays, so that an output of the model or a
/// kept tensor can be called as the user likes.
///
/// - Input shape: any.
/// - Output shape: the same.
/// - Parameters: none.
/// - Errors: none.
/// - Names elsewhere: Keras Identity, ONNX Identity, Core ML activation linear.
///
/// ```swift
/// x --> Identity(name: "features")
/// ```
public struct Identity: PrimitiveLayer {
  package let label: LayerLabel
  package var primitive: Primitive { .identity }

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - name: the name of the result.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }
}
