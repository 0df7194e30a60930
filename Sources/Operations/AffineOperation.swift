import ForgeShapes

/// An operation that is `scale·x + shift` along the last axis with constant other operands.
///
/// Each operand after the first holds one value per channel, or one for all.
package protocol AffineOperation: PartialOperation {
  /// The names of the operands after the first, for messages.
  var operandNames: [String] { get }
  /// The scale and the shift of each channel.
  ///
  /// - Parameter operands: the values of all operands after the first, one per channel.
  /// - Returns: one value per channel of each.
  func scaleAndShift(_ operands: [[Double]]) -> (scale: [Double], shift: [Double])
  /// The result for a value, given the values of all operands after the first for its channel.
  func value(_ x: Double, _ operands: [Double]) -> Double
}

extension AffineOperation {
  package var traits: OperationTraits {
    OperationTraits(
      operands: (operandNames.count + 1)...(operandNames.count + 1), multiplyAdds: .onePerElement,
      isLinear: false, addsResidual: false, takesActivation: true, packsOperands: true,
      keepsElements: false,
      treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    for (index, operand) in operands.enumerated().dropFirst() {
      guard let count = operand.elementCount, count == 1 || count == operands[0].channels else {
        throw operandSize(index, operand, needs: "1 value, or one per channel")
      }
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let (input, others) = (call.input, call.operands.dropFirst())
    for (operand, name) in zip(others, operandNames) {
      try check(operand, name, sizes: input.lastSize)
    }
    let channels = (0..<input.lastSize).map { c in others.map { $0.values[c] } }
    let values = input.values.enumerated().map { value($1, channels[$0 % channels.count]) }
    return ReferenceTensor(unchecked: input.sizes, values)
  }

  /// What makes a part of the result; `nil` for a part of the channels whose operands have other
  /// axes.
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let last = part.ranges.count - 1
    if part.coversAll(along: last, of: operands[0]) {
      return PartialComputation(
        nil, [part] + operands.dropFirst().map { TensorPart(allOf: $0) })
    }
    guard operands.dropFirst().allSatisfy({ $0 == [1] || $0 == [operands[0][last]] }) else {
      return nil
    }
    let channels = TensorPart([part.ranges[last]])
    return PartialComputation(
      nil, [part] + operands.dropFirst().map { channels.broadcast(to: $0) })
  }
}

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
  /// A single value for this many channels; the same where there are several values.
  package func repeated(_ channels: Int) -> AffineConstants {
    guard scale.count == 1, channels > 1 else { return self }
    return AffineConstants(
      scale: Array(repeating: scale[0], count: channels),
      shift: Array(repeating: shift[0], count: channels))
  }

  /// This scale and shift followed by another one; `nil` if its numbers are not finite floats.
  package func then(_ next: AffineConstants) -> AffineConstants? {
    let channels = max(scale.count, next.scale.count)
    let (first, second) = (repeated(channels), next.repeated(channels))
    let scales = zip(first.scale, second.scale).map { $0 * $1 }
    let shifts = zip(first.shift, zip(second.scale, second.shift)).map { $0 * $1.0 + $1.1 }
    guard (scales + shifts).allSatisfy({ Float($0).isFinite }) else { return nil }
    return AffineConstants(scale: scales, shift: shifts)
  }

  private init(scale: [Double], shift: [Double]) { (self.scale, self.shift) = (scale, shift) }
}
