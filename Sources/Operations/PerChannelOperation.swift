import ForgeShapes

/// An affine operation whose operands after the first hold one value per channel, or one for all.
protocol PerChannelOperation: AffineOperation {
  /// The names of the operands after the first, for messages.
  var operandNames: [String] { get }
}

extension PerChannelOperation {
  package var traits: OperationTraits {
    OperationTraits(
      operands: (operandNames.count + 1)...(operandNames.count + 1), isLinear: false,
      takesActivation: true, packsOperands: true, keepsElements: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    for (index, operand) in operands.enumerated().dropFirst() {
      guard let count = operand.elementCount, count == 1 || count == operands[0].channels else {
        throw operandSize(index, operand, needs: "1 value, or one per channel")
      }
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int {
    MultiplyAdds.perElement(of: output)
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  /// Checks that every operand after the first has a value for each channel.
  func checkOperands(_ operands: [ReferenceTensor]) throws(ReferenceError) {
    for (operand, name) in zip(operands.dropFirst(), operandNames) {
      try check(operand, name, sizes: operands[0].lastSize)
    }
  }
}
