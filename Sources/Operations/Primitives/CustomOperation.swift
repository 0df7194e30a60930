import ForgeShapes

/// The function of a ``Primitive/custom(_:)``: a declared shape rule and arithmetic on plain
/// tensors.
///
/// Operands: one or more inputs, then the parameters.
public struct CustomOperation: Sendable, Encodable {
  /// The shape of the output for the shapes of the inputs, without those of the parameters.
  public typealias ShapeRule = @Sendable (_ inputs: [Shape]) throws -> Shape
  /// The arithmetic without parameters: inputs and output in row-major order, each of exactly its
  /// shape's element count.
  ///
  /// An index out of range traps like that of an array, in release builds too.
  public typealias Body =
    @Sendable (_ inputs: [CustomInput], _ output: inout MutableSpan<Float>) throws -> Void
  /// The arithmetic with parameters, which are read like inputs.
  ///
  /// An index out of range traps like that of an array, in release builds too.
  public typealias ParameterBody =
    @Sendable (
      _ inputs: [CustomInput], _ parameters: [CustomInput], _ output: inout MutableSpan<Float>
    ) throws -> Void

  /// The shape of the first input; without inputs it throws a ``ShapeError``.
  public static let sameShape: ShapeRule = { inputs in
    guard let first = inputs.first else {
      throw ShapeError.wrongInputCount(0, needs: "at least one input")
    }
    return first
  }

  /// The shape rule.
  public let shapeRule: ShapeRule
  /// The number of operands, the last ones, that are parameters.
  public let parameterCount: Int
  /// The arithmetic.
  public let body: ParameterBody

  /// Creates an operation without parameters.
  ///
  /// - Parameters:
  ///   - shapeRule: returns the shape of the output.
  ///   - body: the arithmetic.
  public init(shapeRule: @escaping ShapeRule = Self.sameShape, body: @escaping Body) {
    self.init(shapeRule: shapeRule, parameterCount: 0) { inputs, _, output in
      try body(inputs, &output)
    }
  }

  /// Creates an operation with parameters.
  ///
  /// - Parameters:
  ///   - shapeRule: returns the shape of the output.
  ///   - parameterCount: the number of operands, the last ones, that are parameters; a negative
  ///     number counts as 0.
  ///   - body: the arithmetic.
  public init(
    shapeRule: @escaping ShapeRule = Self.sameShape, parameterCount: Int,
    body: @escaping ParameterBody
  ) {
    self.shapeRule = shapeRule
    self.parameterCount = max(parameterCount, 0)
    self.body = body
  }

  /// Throws: Swift code has no encoding.
  public func encode(to encoder: any Encoder) throws { throw ContentKey.Unkeyed(Self.self) }
}

extension CustomOperation: PrimitiveOperation {
  package var name: String { "custom" }
  package var traits: OperationTraits {
    .unweighted(
      parameterCount.addingSaturated(1)...Int.max, takesActivation: false, keepsElements: false,
      treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let inputs = Array(operands.dropLast(parameterCount))
    guard !inputs.isEmpty else {
      throw ShapeError(.wrongInputCount, "a custom operation needs an input")
    }
    let shape: Shape
    do { shape = try shapeRule(inputs) } catch {
      throw ShapeError(
        .customRule, "the shape rule of the custom layer failed", received: "\(error)")
    }
    let output = try SizeRule.bounded(shape)
    guard output.isKnown || !inputs.allSatisfy(\.isKnown) else {
      throw .unknownCustomShape(output, for: inputs)
    }
    return output
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  /// Runs the user's arithmetic on single-precision copies of the operands.
  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    var result = Array(repeating: Float(0), count: call.output.reduce(1, *))
    var span = result.mutableSpan
    do {
      let operands = CustomOperands(
        try call.operands.map { try CustomInput($0.floats) }, of: self)
      try body(operands.inputs, operands.parameters, &span)
    } catch {
      throw .customBody(error)
    }
    return ReferenceTensor(unchecked: call.output, result.map(Double.init))
  }
}

extension ShapeError {
  /// The error of a shape rule whose result is less known than its inputs.
  fileprivate static func unknownCustomShape(_ output: Shape, for inputs: [Shape]) -> ShapeError {
    ShapeError(
      .customRule, "the shape rule of the custom layer returns unknown sizes for known ones",
      received: "\(output) for \(inputs.map(\.description).joined(separator: ", "))",
      needs: "a size along each axis when those of the inputs are known")
  }
}

/// The operands of a custom operation as its body takes them.
package struct CustomOperands {
  /// The inputs.
  package let inputs: [CustomInput]
  /// The parameters in the order in which the layer states them.
  package let parameters: [CustomInput]

  /// Divides the operands of an operation.
  package init(_ operands: [CustomInput], of operation: CustomOperation) {
    inputs = Array(operands.dropLast(operation.parameterCount))
    parameters = Array(operands.suffix(operation.parameterCount))
  }
}
