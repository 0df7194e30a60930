import ForgeOperations
import ForgeShapes

/// The common part of the layers that combine tensors element by element, from Add to Logical.
///
/// It combines two or more tensors, or one and a constant, element by element with NumPy's
/// broadcasting.
package protocol ElementwiseLayer: BuiltInLayer {
  /// The operation between the first operand and each further one.
  var operation: BinaryOperator { get }
  /// A constant operand: one value, or one per channel.
  var constant: [Float]? { get }
  /// The most tensors it takes.
  var maximumInputs: Int { get }
}

extension ElementwiseLayer {
  package var maximumInputs: Int { .max }

  /// Lowers to the operands combined from left to right, the constant last.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try combine(in: &lowering)
  }

  /// Combines the operands from left to right, the constant last.
  func combine(in lowering: inout Lowering) throws(ShapeError) -> Lowering.Value {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    let example = maximumInputs == 1 ? nil : "[a, b] --> \(Self.self)()"
    try ArgumentRule.count(
      shapes, from: constant == nil ? 2 : 1, to: maximumInputs, example: example)
    let shape = try CombinationRule.broadcast(shapes)
    if let constant {
      try ArgumentRule.perChannel(constant, "constant", channels: shape.channels)
    }
    var result = lowering.inputs[0]
    for input in lowering.inputs.dropFirst() {
      result = try lowering.apply(.binary(operation), to: [result, input])
    }
    guard let constant else { return result }
    return try apply(operation, constant, to: result, in: &lowering)
  }

  /// Applies an operation to a value and a constant: one number, or one per channel.
  func apply(
    _ operation: BinaryOperator, _ constant: [Float], to value: Lowering.Value,
    in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    // The constant has the rank of the value, so it is an image if the value is one.
    let rank = max(lowering.shape(of: value).rank, 1)
    let shape = Shape(sizes: Array(repeating: 1, count: rank - 1) + [constant.count])
    let operand = try lowering.constant(constant, shape: shape)
    return try lowering.apply(.binary(operation), to: [value, operand])
  }
}
