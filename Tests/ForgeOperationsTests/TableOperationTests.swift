import ForgeOperations
import ForgeShapes
import Testing

/// The operations on the tables of a stream: shapes, references, and what follows from a graph.
@Suite struct TableOperationTests {
  private func shape(_ primitive: Primitive, _ operands: [[Int]]) -> String {
    do {
      return try primitive.checkedShape(for: operands.map { Shape(sizes: $0) }).sizeText
    } catch {
      return "\(error)"
    }
  }

  @Test func shapes() {
    #expect(shape(.appendRows, [[7, 3], [1, 2, 3], [1]]) == "7×3")
    #expect(shape(.appendRows, [[7, 3], [1, 7, 3], [1]]) == "7×3")
    #expect(shape(.appendRows, [[7, 3], [1, 8, 3], [1]]).contains("at most 7"))
    #expect(shape(.appendRows, [[7, 3], [2, 2, 3], [1]]).contains("a stream has one row"))
    #expect(shape(.appendRows, [[7, 3], [1, 2, 4], [1]]).contains("4 channels"))
    #expect(shape(.appendRows, [[1, 7, 3], [1, 2, 3], [1]]).contains("a table of positions"))
    #expect(
      shape(.appendRows, [[7, 3], [1, 2, 3], [2]]).contains("a position is a single number"))
    #expect(shape(.appendRows, [[7, 3], [1, 2, 3]]).contains("wrong number of operands"))
    #expect(shape(.advance, [[1], [1, 2, 3]]) == "1")
    #expect(shape(.advance, [[2], [1, 2, 3]]).contains("1 value"))
    #expect(shape(.advance, [[1], [2, 2, 3]]).contains("a stream has one row"))
    // Width, height, channels.
    #expect(shape(.rowsFrom, [[7, 3], [1, 2, 5], [1]]) == "2×1×3")
    #expect(shape(.rowsFrom, [[7, 3], [1, 9, 5], [1]]).contains("at most 7"))
    let rule = AttentionRule(heads: 2, causalOffset: 0, hasPosition: true)
    #expect(shape(.attention(rule), [[1, 2, 6], [7, 6], [7, 8], [1]]) == "2×1×8")
    #expect(shape(.attention(rule), [[1, 2, 6], [7, 6], [8, 8], [1]]).contains("7 and 8"))
    #expect(shape(.attention(rule), [[1, 2, 6], [1, 7, 6], [7, 8], [1]]).contains("positions"))
    #expect(shape(.attention(rule), [[1, 2, 6], [7, 6], [7, 8]]).contains("operands"))
    let masked = AttentionRule(heads: 2, causalOffset: 0, mask: .added, hasPosition: true)
    #expect(shape(.attention(masked), [[1, 2, 6], [7, 6], [7, 8], [2, 1, 7], [1]]) == "2×1×8")
    #expect(
      shape(.attention(masked), [[1, 2, 6], [7, 6], [7, 8], [2, 2, 2], [1]])
        .contains("1×2×2×7 (rows, heads, queries, keys)"))
    let plain = AttentionRule(heads: 2, hasPosition: true)
    #expect(
      shape(.attention(plain), [[1, 2, 6], [7, 6], [7, 8], [1]])
        .contains("needs     isCausal: true"))
  }

  private func tensor(_ sizes: [Int], from start: Int = 0) throws -> ReferenceTensor {
    try ReferenceTensor(
      sizes: sizes, values: (0..<sizes.reduce(1, *)).map { Double(start + $0) })
  }

  private func position(_ value: Double) throws -> ReferenceTensor {
    try ReferenceTensor(sizes: [1], values: [value])
  }

  @Test func references() throws {
    let (table, image) = (try tensor([4, 2]), try tensor([1, 2, 2], from: 20))
    for (value, rows) in [
      (1.0, [0, 1, 20, 21, 22, 23, 6, 7]), (.nan, [20, 21, 22, 23, 4, 5, 6, 7]),
      (9, [0, 1, 2, 3, 20, 21, 22, 23]), (-3, [20, 21, 22, 23, 4, 5, 6, 7]),
    ] as [(Double, [Double])] {
      let result = try Primitive.appendRows.reference(on: [table, image, try position(value)])
      #expect(result.values == rows)
    }
    #expect(try Primitive.advance.reference(on: [try position(3), image]).values == [5])
    let rows = try Primitive.rowsFrom.reference(on: [table, image, try position(1)])
    #expect(rows.sizes == [1, 2, 2] && rows.values == [2, 3, 4, 5])
    let ids = try ReferenceTensor(sizes: [5], values: [3, 1.5, -0.5, 4, .nan])
    let checked = try Primitive.gatherRows(axis: 0, isChecked: true).reference(on: [table, ids])
    #expect(checked.values.prefix(4) == [6, 7, 2, 3])
    let others = checked.values.dropFirst(4)
    #expect(others.allSatisfy { $0.isNaN })
    let plain = try Primitive.gatherRows(axis: 0).reference(on: [table, ids])
    #expect(plain.values.prefix(6) == [6, 7, 2, 3, 0, 1])
  }

  /// A state is appended to in place only if the layer says so and nothing else reads it.
  @Test func statesInPlace() throws {
    enum Use: CaseIterable { case only, twice, unset, plain, output }
    for use in Use.allCases {
      var lowering = Lowering()
      let input = lowering.graph.addInput(Shape(sizes: [1, 2, 3]))
      lowering.begin(layer: 4, name: "layer", inputs: [input])
      let rows = try lowering.state(
        "rows", shape: Shape(sizes: [9, 3]), isAppendedTo: use != .plain)
      let position = try lowering.state("position", shape: Shape(sizes: [1]))
      let next = try lowering.apply(.appendRows, to: [rows, input, position])
      if use != .unset { try lowering.setState(rows, to: next) }
      try lowering.setState(position, to: try lowering.apply(.advance, to: [position, input]))
      var output = next
      if use == .twice { output = try lowering.apply(.binary(.add), to: [rows, next]) }
      if use == .output { output = rows }
      lowering.graph.outputs = [output]
      lowering.graph.closeStates()
      #expect(
        lowering.graph.stateLayouts == [
          StateLayout(sizes: [9, 3], isInPlace: use == .only),
          StateLayout(sizes: [1], isInPlace: false),
        ], "\(use)")
      let limits = lowering.graph.positionLimits.map {
        [$0.state, $0.table ?? -1, $0.count, $0.capacity, $0.layer]
      }
      #expect(limits == [[1, use == .only ? 0 : -1, 2, 9, 4]], "\(use)")
    }
  }

  @Test func positionsThatLeaveRoom() throws {
    var lowering = Lowering()
    let input = lowering.graph.addInput(Shape(sizes: [1, 3, 1]))
    lowering.begin(layer: 0, name: "layer", inputs: [input])
    let position = try lowering.state("position", shape: Shape(sizes: [1]))
    let table = try lowering.constant(Array(repeating: 0, count: 8), shape: Shape(sizes: [8, 1]))
    _ = try lowering.apply(.rowsFrom, to: [table, input, position])
    lowering.graph.closeStates()
    let limit = try #require(lowering.graph.positionLimits.first)
    for position in [0, 1, 5] as [Float] { #expect(limit.admits(position)) }
    for position in [6, 8, -1, 2.5, .nan, .infinity, 1e30, -.infinity] as [Float] {
      #expect(!limit.admits(position))
      #expect(limit.isPosition(position) == (position == 6 || position == 8))
    }
  }
}
