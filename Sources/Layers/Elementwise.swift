import ForgeOperations
import ForgeShapes

/// What Add, Subtract, Multiply, Maximum, Minimum and Average have in common: two or more tensors, or
/// one and a constant, combined element by element with NumPy's broadcasting.
package protocol ElementwiseLayer: Layer {
  /// The operation between the first operand and each further one.
  var operation: BinaryOperator { get }
  /// An operand known when compiling: one value, or one per channel.
  var constant: [Float]? { get }
  /// The most tensors taken.
  var maximumInputs: Int { get }
}

extension ElementwiseLayer {
  package var maximumInputs: Int { .max }

  /// The broadcast shape of all operands.
  package func elementwiseShape(for inputs: [Shape]) throws(ShapeError) -> Shape {
    let needed = constant == nil ? 2 : 1
    guard inputs.count >= needed, inputs.count <= maximumInputs else {
      let needs =
        maximumInputs == needed
        ? "exactly \(needed) tensors"
        : "at least \(needed) tensors, as in [a, b] --> \(Self.self)()"
      throw ShapeError(
        .wrongInputCount, "wrong number of inputs",
        received: inputs.count == 1 ? "1 tensor" : "\(inputs.count) tensors", needs: needs)
    }
    let shape = try CombinationRule.broadcast(inputs)
    guard let constant else { return shape }
    try ArgumentRule.require(
      constant.allSatisfy(\.isFinite), "constant", "\(constant)", needs: "finite values")
    try ArgumentRule.require(
      constant.count == 1 || constant.count == shape.channels, "constant",
      "\(constant.count) values", needs: "1 value, or one per channel")
    return shape
  }

  /// The operands combined from left to right.
  package func combine(in lowering: inout Lowering) throws(ShapeError) -> Lowering.Value {
    guard var result = lowering.inputs.first else {
      throw ShapeError(.wrongInputCount, "wrong number of inputs", received: "0 tensors")
    }
    for input in lowering.inputs.dropFirst() {
      result = try lowering.apply(.binary(operation), to: [result, input])
    }
    if let constant {
      // The constant has the rank of the operand, so that both sides are images where one is.
      let rank = max(lowering.shape(of: result).rank, 1)
      let shape = Shape(sizes: Array(repeating: 1, count: rank - 1) + [constant.count])
      let operand = try lowering.constant(constant, shape: shape)
      result = try lowering.apply(.binary(operation), to: [result, operand])
    }
    return result
  }
}
