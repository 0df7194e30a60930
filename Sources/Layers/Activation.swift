import ForgeOperations
import ForgeShapes

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
public struct Activation: Layer {
  /// The name, if given.
  public let name: String?
  /// The source location.
  public let place: SourcePlace
  /// The function.
  public let function: ActivationFunction

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
    self.name = name
    self.place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Lowers to one activation, or to an identity if the function is linear.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(
      function == .linear ? .identity : .activation(function))
  }
}
