import ForgeShapes

/// The maximum or the mean of each whole channel.
///
/// Operand: image.
package struct GlobalPoolingOperation: PrimitiveOperation {
  let kind: PoolingKind

  package var name: String { "globalPooling" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 1...1, isLinear: false, takesActivation: true, packsOperands: false,
      keepsElements: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    .vector(try ArgumentRule.channels(of: operands[0]))
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor {
    let input = operands[0]
    let area = input.width * input.height
    let values = (0..<input.channels).map { c in
      kind.value(of: (0..<area).map { input.values[$0 * input.channels + c] }, area: area)
    }
    return ReferenceTensor(unchecked: output, values)
  }
}
