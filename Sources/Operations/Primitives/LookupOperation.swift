import ForgeShapes

/// A function of each integer of 8 bits, as a table; see ``ByteTable``.
///
/// Operand: any tensor of integers.
package struct LookupOperation: IntegerOperation, ElementwiseOperation {
  let table: ByteTable

  package var name: String { "lookup" }
  package var storage: Quantization.Storage? { table.output }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.require(
      table.values.count == 256 && table.values.allSatisfy(table.output.range.contains), "table",
      "\(table.values.count) values", needs: "256 values of \(table.output.rawValue)")
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor { call.input.map(table.value) }
}
