import ForgeShapes

/// The function of a ``Primitive/custom(_:)``: a declared shape rule and arithmetic on plain
/// tensors.
public struct CustomOperation: Sendable {
  /// The shape of the output for the shapes of the inputs.
  public typealias ShapeRule = @Sendable ([Shape]) throws -> Shape
  /// The arithmetic: inputs and output in row-major order, each of exactly its shape's element
  /// count.
  ///
  /// An index out of range traps like that of an array, in release builds too.
  public typealias Body =
    @Sendable (_ inputs: [CustomInput], _ output: inout MutableSpan<Float>) throws -> Void

  /// The shape rule.
  public let shapeRule: ShapeRule
  /// The arithmetic.
  public let body: Body

  /// Creates an operation.
  public init(shapeRule: @escaping ShapeRule, body: @escaping Body) {
    self.shapeRule = shapeRule
    self.body = body
  }
}

extension CustomOperation: PrimitiveOperation {
  package var name: String { "custom" }
  package var traits: OperationTraits {
    .unweighted(
      1...Int.max, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let shape: Shape
    do { shape = try shapeRule(operands) } catch {
      throw ShapeError(
        .customRule, "the shape rule of the custom layer failed", received: "\(error)")
    }
    return try SizeRule.bounded(shape)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  /// Runs the user's arithmetic on single-precision copies of the operands.
  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    var result = Array(repeating: Float(0), count: call.output.reduce(1, *))
    var span = result.mutableSpan
    do { try body(call.operands.map { try CustomInput($0.floats) }, &span) } catch {
      throw .customBody(error)
    }
    return ReferenceTensor(unchecked: call.output, result.map(Double.init))
  }
}
