import ForgeShapes

/// One operation: everything that layers, rewrites, checks and the reference executor ask about it.
///
/// No requirement has a default, so that the compiler names what a new operation has forgotten.
package protocol PrimitiveOperation: Sendable {
  /// A short name for messages and reports.
  var name: String { get }
  /// What rewrites and back ends may rely on.
  var traits: OperationTraits { get }
  /// Checks arguments, and the sizes of every operand but the first.
  ///
  /// The number of operands is right and their shapes are within bounds.
  func validate(_ operands: [Shape]) throws(ShapeError)
  /// The shape of the output for the shapes of the operands, in which sizes may be unknown.
  func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape
  /// The multiply-adds of one prediction; 0 while a size is not known.
  func multiplyAdds(for operands: [Shape], output: Shape) -> Int
  /// Whether the output of these sizes is the only operand itself.
  func isIdentity(from input: Shape, to output: Shape) -> Bool
  /// What the operation computes, in double precision and plain loops.
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

/// What rewrites and back ends may rely on; an operation states every property.
package struct OperationTraits: Sendable {
  /// How many operands it takes.
  package let operands: ClosedRange<Int>
  /// Whether each output channel is a sum of products of the first operand, into which a scale, a
  /// shift, a residual and an activation can be fused.
  package let isLinear: Bool
  /// Whether an activation can be applied while the result is stored.
  package let takesActivation: Bool
  /// Whether all operands but the first must be known when a plan is made.
  package let packsOperands: Bool
  /// Whether it only gives the elements, in memory order, other sizes.
  package let keepsElements: Bool

  /// One operand, and none of the properties.
  static let ofOneOperand = OperationTraits(
    operands: 1...1, isLinear: false, takesActivation: false, packsOperands: false,
    keepsElements: false)

  /// How many operands it takes, in words.
  var operandText: String {
    let (least, most) = (operands.lowerBound, operands.upperBound)
    if most == .max { return "at least \(least)" }
    return least == most ? "\(least)" : "\(least) or \(most)"
  }
}

/// An operation whose window meets zeros outside the image.
package protocol ZeroPaddedOperation: PrimitiveOperation {
  /// The window.
  var geometry: ConvolutionGeometry { get set }
  /// The operation as one of the closed set.
  var primitive: Primitive { get }
}

/// An operation that is `scale·x + shift` along the last axis once its other operands are known.
package protocol AffineOperation: PrimitiveOperation {
  /// The scale and the shift of each channel.
  ///
  /// - Parameter operands: the values of all operands but the first, one per channel.
  /// - Returns: one value per channel of each.
  func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double])
}
