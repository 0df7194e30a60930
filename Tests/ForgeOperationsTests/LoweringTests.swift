import ForgeOperations
import ForgeShapes
import Testing

/// Use of foreign values in a user-defined layer.
@Suite struct LoweringTests {
  private func lowering(inputs count: Int) -> Lowering {
    var lowering = Lowering()
    let inputs = (0..<count).map { lowering.graph.addInput(Shape(sizes: [$0 + 1])) }
    lowering.begin(layer: 1, name: "own", inputs: inputs)
    return lowering
  }

  private func expectForeign(_ body: () throws(ShapeError) -> OperationGraph.Value) {
    let error = #expect(throws: ShapeError.self) { try body() }
    #expect(error?.kind == .invalidArgument)
    #expect(
      error?.description == """
        the layer uses a value of another lowering
          needs     its inputs, its parameters, and what apply has returned
        """)
  }

  @Test func valuesFromAnotherLowering() throws {
    let other = lowering(inputs: 5)
    var own = lowering(inputs: 2)
    // One whose index is beyond the own values, and one that would be taken for another.
    for value in [other.inputs[4], other.inputs[0]] {
      #expect(own.shape(of: value) == Shape(sizes: []))
      #expect(own.graph.shape(of: value) == Shape(sizes: []))
      expectForeign { () throws(ShapeError) in
        try own.apply(.activation(.relu), to: [value])
      }
      expectForeign { () throws(ShapeError) in
        try own.apply(.binary(.add), to: [own.inputs[0], value])
      }
    }
    #expect(own.graph.nodes.isEmpty)
    #expect(own.shape(of: own.inputs[1]) == Shape(sizes: [2]))
    let result = try own.apply(.activation(.relu), to: [own.inputs[1]])
    #expect(own.shape(of: result) == Shape(sizes: [2]))
  }

  /// A copy keeps the graph's identity: rewrites work on copies.
  @Test func valuesFromCopiedGraph() throws {
    let original = lowering(inputs: 2)
    var copy = original
    let result = try copy.apply(.activation(.relu), to: [original.inputs[1]])
    #expect(copy.shape(of: result) == Shape(sizes: [2]))
    // The original has no such value.
    #expect(original.shape(of: result) == Shape(sizes: []))
  }
}
