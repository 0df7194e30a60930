import ForgeOperations

/// A function applied to each value.
///
/// `y = f(x)`; `ActivationFunction` lists the functions with their formulas.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an argument of the function that is not finite, or bounds out of
///   order.
/// - Names elsewhere: Keras Activation, ReLU, LeakyReLU and so on, ONNX Relu, Clip, LeakyRelu and
///   so on, Core ML activation. The argument `activation:` of other layers does the same.
///
/// ```swift
/// x --> Activation(.leakyReLU(slope: 0.1))
/// ```
public struct Activation: PrimitiveLayer {
  package let label: LayerLabel
  /// The function.
  public let function: ActivationFunction
  package var primitive: Primitive { function == .linear ? .identity : .activation(function) }

  /// Creates an activation.
  ///
  /// - Parameters:
  ///   - function: the function.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ function: ActivationFunction, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.function = function
    label = LayerLabel(name, fileID, line, column)
  }
}
