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
  /// The comparisons, sums and moves for each element of the output, without multiply-adds: the
  /// size of a window, the number of boxes that a box is compared with.
  func workPerElement(for operands: [Shape]) -> Int
  /// Whether the operation returns its only operand unchanged for these sizes.
  func isIdentity(from input: Shape, to output: Shape) -> Bool
  /// The result in double precision, computed with plain loops.
  ///
  /// - Throws: ``ReferenceError`` when the operands do not fit the operation.
  func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor
}

/// An operation whose result may be 8-bit integers.
package protocol IntegerOperation: PrimitiveOperation {
  /// The type of the result; `nil` for real numbers.
  var storage: Quantization.Storage? { get }
}

/// What an operation is given to compute a reference result.
package struct ReferenceCall {
  /// The operands, as many as the operation takes.
  let operands: [ReferenceTensor]
  /// The sizes of the result, which the shape rule states.
  let output: [Int]
  /// The source rectangles of resizes by the name of their slot.
  let crops: [String: CropRectangle]
  /// Whether the results of the operation's own steps are rounded to Float32.
  var roundsToFloats = false

  /// The first operand.
  var input: ReferenceTensor { operands[0] }
}

/// The properties that rewrites and back ends rely on; an operation states every one.
package struct OperationTraits: Sendable {
  /// The number of operands it takes.
  package let operands: ClosedRange<Int>
  /// The multiply-adds.
  package let multiplyAdds: MultiplyAdds
  /// Whether each output channel is a sum of products of the first operand.
  ///
  /// A scale and a shift can be fused into such an operation.
  package let isLinear: Bool
  /// Whether it can add a residual as it stores the result.
  package let addsResidual: Bool
  /// Whether it can apply an activation as it stores the result.
  package let takesActivation: Bool
  /// Whether all operands after the first must be constants when a plan is made.
  package let packsOperands: Bool
  /// Whether it only changes the sizes and keeps the elements in memory order.
  package let keepsElements: Bool
  /// Whether a new order of the last axis of its operands only becomes that of the result.
  package let treatsChannelsAlike: Bool

  /// The traits of an operation without weights or other packed operands.
  static func unweighted(
    _ operands: ClosedRange<Int> = 1...1, takesActivation: Bool, keepsElements: Bool,
    treatsChannelsAlike: Bool
  ) -> OperationTraits {
    OperationTraits(
      operands: operands, multiplyAdds: .none, isLinear: false, addsResidual: false,
      takesActivation: takesActivation,
      packsOperands: false, keepsElements: keepsElements, treatsChannelsAlike: treatsChannelsAlike)
  }

  /// An element that is read or written takes as long as this many multiply-adds.
  package static let workPerMove = 8

  /// The number of operands as text.
  var operandText: String {
    let (least, most) = (operands.lowerBound, operands.upperBound)
    if most == .max { return "at least \(least)" }
    return least == most ? "\(least)" : "\(least) or \(most)"
  }
}

extension PrimitiveOperation {
  /// The work of one prediction in units of a multiply-add: multiply-adds, elements moved,
  /// comparisons; 0 while a size is not known.
  ///
  /// - Parameters:
  ///   - operands: the shapes of the operands.
  ///   - output: the shape of the result.
  ///   - stored: the number of elements that are stored for a shape.
  /// - Returns: the work.
  package func work(
    for operands: [Shape], output: Shape, stored: (Shape) -> Int = { $0.elementCount ?? 0 }
  ) -> Int {
    guard let count = output.elementCount else { return 0 }
    // Packed operands are weights, which multiply-adds count.
    let read = operands.prefix(traits.packsOperands ? 1 : operands.count)
    let moved = read.reduce(stored(output)) { $0.addingSaturated(stored($1)) }
    return traits.multiplyAdds.count(for: operands, output: output)
      .addingSaturated(moved.multipliedSaturated(by: OperationTraits.workPerMove))
      .addingSaturated(count.multipliedSaturated(by: workPerElement(for: operands)))
  }
}
