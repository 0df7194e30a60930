/// The scale and shift per channel of a node.
package struct AffineConstants {
  package let scale: [Double]
  package let shift: [Double]

  /// The constants of an affine node; `nil` for other nodes, and where an operand is computed.
  ///
  /// - Throws: what reading the constants throws.
  package init?(
    _ node: OperationGraph.Node, graph: OperationGraph, constants: any ConstantSource
  ) throws {
    // Checked first: the operands of another node may be the weights of a whole network.
    guard node.residual == nil, let operation = node.primitive.operation as? any AffineOperation
    else { return nil }
    let operands = try node.inputs.dropFirst().compactMap { input in
      try graph.constant(input).map { try constants.values(of: $0).map(Double.init) }
    }
    guard operands.count == node.inputs.count - 1 else { return nil }
    // A single value applies to all channels.
    let count = operands.map(\.count).max() ?? 1
    (scale, shift) = operation.scaleAndShift(
      operands.map { $0.count == 1 ? Array(repeating: $0[0], count: count) : $0 })
  }
}
