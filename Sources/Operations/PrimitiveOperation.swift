import ForgeShapes

/// The interface of an operation to layers, rewrites, checks and the reference executor.
///
/// No requirement has a default, so that the compiler reports what a new operation lacks.
package protocol PrimitiveOperation: Sendable {
  /// A short name for messages and reports.
  var name: String { get }
  /// The properties that rewrites and back ends rely on.
  var traits: OperationTraits { get }
  /// Checks the arguments, and the sizes of every operand after the first.
  ///
  /// The caller has checked the number of operands and the bounds of their shapes.
  func validate(_ operands: [Shape]) throws(ShapeError)
  /// The shape of the output for the shapes of the operands, in which sizes may be unknown.
  func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape
  /// The multiply-adds of one prediction; 0 while a size is not known.
  func multiplyAdds(for operands: [Shape], output: Shape) -> Int
  /// Whether the operation returns its only operand unchanged for these sizes.
  func isIdentity(from input: Shape, to output: Shape) -> Bool
  /// The result in double precision, computed with plain loops.
  ///
  /// - Parameters:
  ///   - operands: as many as the operation takes.
  ///   - output: the sizes that the shape rule states.
  ///   - crops: source rectangles of resizes by the name of their slot.
  /// - Returns: the result.
  /// - Throws: ``ReferenceError`` when the operands do not fit the operation.
  func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor
}

/// The properties that rewrites and back ends rely on; an operation states every one.
package struct OperationTraits: Sendable {
  /// The number of operands it takes.
  package let operands: ClosedRange<Int>
  /// Whether each output channel is a sum of products of the first operand.
  ///
  /// A scale, a shift, a residual and an activation can be fused into such an operation.
  package let isLinear: Bool
  /// Whether it can apply an activation as it stores the result.
  package let takesActivation: Bool
  /// Whether all operands after the first must be constants when a plan is made.
  package let packsOperands: Bool
  /// Whether it only changes the sizes and keeps the elements in memory order.
  package let keepsElements: Bool

  /// The traits of one operand without any of the properties.
  static let ofOneOperand = OperationTraits(
    operands: 1...1, isLinear: false, takesActivation: false, packsOperands: false,
    keepsElements: false)

  /// The number of operands as text.
  var operandText: String {
    let (least, most) = (operands.lowerBound, operands.upperBound)
    if most == .max { return "at least \(least)" }
    return least == most ? "\(least)" : "\(least) or \(most)"
  }
}

/// An operation whose window reads zeros outside the image.
package protocol ZeroPaddedOperation: PrimitiveOperation {
  /// The window.
  var geometry: ConvolutionGeometry { get set }
  /// The operation as a ``Primitive``.
  var primitive: Primitive { get }
}

/// An operation that is `scale·x + shift` along the last axis with constant other operands.
package protocol AffineOperation: PrimitiveOperation {
  /// The scale and the shift of each channel.
  ///
  /// - Parameter operands: the values of all operands after the first, one per channel.
  /// - Returns: one value per channel of each.
  func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double])
}
