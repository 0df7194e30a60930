import ForgeShapes

/// 8-bit integers joined along the last axis, each operand through a table of its own; see
/// ``ByteTable``.
///
/// Operands: one or more tensors of integers.
package struct QuantizedConcatenationOperation: IntegerOperation {
  let tables: [ByteTable]

  package var name: String { "quantizedConcatenation" }
  package var storage: Quantization.Storage? { tables.first?.output }
  package var traits: OperationTraits {
    .unweighted(
      1...Int.max, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.require(
      tables.count == operands.count, "tables", "\(tables.count) tables",
      needs: "\(operands.count), one for each operand")
    for table in tables {
      try LookupOperation(table: table).validate(operands)
      try ArgumentRule.require(
        table.output == tables[0].output, "tables", "values of \(table.output.rawValue)",
        needs: "one type of values")
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.concatenate(operands, axis: operands[0].rank - 1)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let mapped = zip(call.operands, tables).map { $0.map($1.value) }
    return try ConcatenateOperation(axis: call.output.count - 1).reference(
      ReferenceCall(operands: mapped, output: call.output, crops: call.crops))
  }
}
