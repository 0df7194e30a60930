import Forge
import ForgeImporters
import Testing

/// What is read of the messages of an ONNX file, whichever way a writer has stored it.
@Suite struct ONNXMessageTests {
  private typealias Writer = ONNXWriter

  /// The sum of the input and a constant.
  private func sum(_ stored: [UInt8]) throws -> [Float] {
    let bytes = Writer.model([Writer.node("Add", ["x", "c"], ["y"])], stored: [stored])
    return try Model(onnx: bytes).compile().predict([0.5, 1.5, 2.5, 3.5])
  }

  private func littleEndian<Bits: FixedWidthInteger>(_ values: [Bits]) -> [UInt8] {
    values.flatMap { value in
      (0..<(Bits.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
  }

  /// A tensor `c` of four elements of a type, with its values in some fields.
  private func tensor(_ type: Int, _ values: [UInt8]) -> [UInt8] {
    Writer.field(1, 4) + Writer.field(2, type) + Writer.field(8, "c") + values
  }

  /// Fields of 32 and 64 bits, each with its own tag.
  private func fixed<Bits: FixedWidthInteger>(_ number: Int, _ values: [Bits]) -> [UInt8] {
    values.flatMap {
      Writer.varint(number << 3 | (Bits.bitWidth == 64 ? 1 : 5)) + littleEndian([$0])
    }
  }

  private let floats: [Float] = [1, -2, 3, -4]

  @Test func valuesAreInAnyField() throws {
    let expected: [Float] = [1.5, -0.5, 5.5, -0.5]
    let bits = floats.map(\.bitPattern)
    let doubles = floats.map { Double($0).bitPattern }
    let halves: [UInt16] = [0x3c00, 0xc000, 0x4200, 0xc400]
    let brain: [UInt16] = [0x3f80, 0xc000, 0x4040, 0xc080]
    let packedHalves = halves.flatMap { Writer.varint(Int($0)) }
    let forms: [[UInt8]] = [
      tensor(1, Writer.field(9, littleEndian(bits))),
      tensor(1, Writer.field(4, littleEndian(bits))),
      tensor(1, fixed(4, bits)),
      tensor(1, Writer.field(4, littleEndian(Array(bits[..<3]))) + fixed(4, Array(bits[3...]))),
      tensor(1, fixed(4, Array(bits[..<1])) + Writer.field(4, littleEndian(Array(bits[1...])))),
      tensor(10, Writer.field(9, littleEndian(halves))),
      tensor(10, Writer.field(5, packedHalves)),
      tensor(10, halves.flatMap { Writer.field(5, Int($0)) }),
      tensor(16, Writer.field(5, brain.flatMap { Writer.varint(Int($0)) })),
    ]
    for form in forms { #expect(try sum(form) == expected) }
    // Numbers of Float64 only go into other types.
    for values in [
      Writer.field(9, littleEndian(doubles)), Writer.field(10, littleEndian(doubles)),
      fixed(10, doubles),
    ] {
      let cast = Writer.node("Cast", ["c"], ["d"], ["to": [1]])
      let bytes = Writer.model(
        [cast, Writer.node("Add", ["x", "d"], ["y"])], stored: [tensor(11, values)])
      #expect(try Model(onnx: bytes).compile().predict([0.5, 1.5, 2.5, 3.5]) == expected)
    }
  }

  @Test func integersAreInAnyField() throws {
    let values = [7, -1, 127, -128]
    let int32s = values.map { Int32($0) }
    let int64s = values.map { Int64($0) }
    let forms: [[UInt8]] = [
      tensor(7, Writer.field(9, littleEndian(int64s))),
      tensor(7, Writer.field(7, values.flatMap { Writer.varint($0) })),
      tensor(7, values.flatMap { Writer.field(7, $0) }),
      tensor(6, Writer.field(9, littleEndian(int32s))),
      tensor(6, Writer.field(5, values.flatMap { Writer.varint($0) })),
      tensor(3, values.flatMap { Writer.field(5, $0) }),
    ]
    for form in forms {
      let output = Writer.node("Identity", ["c"], ["y"])
      let imported = try ImportedModel(onnx: Writer.model([output], stored: [form]))
      #expect(imported.constants.first?.values.int64s == int64s)
    }
  }

  /// A large list of varints stays in the file until it is read.
  @Test func manyIntegers() throws {
    let values = (0..<3000).map { $0 * $0 - 1000 }
    let stored =
      Writer.field(1, values.count) + Writer.field(2, 7) + Writer.field(8, "c")
      + Writer.field(7, values.flatMap { Writer.varint($0) })
    let bytes = Writer.model([Writer.node("Identity", ["c"], ["y"])], stored: [stored])
    let imported = try ImportedModel(onnx: bytes)
    #expect(imported.constants.first?.values.int64s == values.map { Int64($0) })
    // The last number goes on beyond the field.
    let cut =
      Writer.field(1, 1) + Writer.field(2, 7) + Writer.field(8, "c") + Writer.field(7, [0x80])
    let error = #expect(throws: ImportError.self) {
      try ImportedModel(onnx: Writer.model([Writer.node("Identity", ["c"], ["y"])], stored: [cut]))
    }
    #expect(error?.kind == .malformed)
    #expect(error?.headline == "initializer \"c\": the values of a stored tensor are damaged")
  }

  @Test func otherNumbersOfValues() {
    for (values, text) in [
      (Writer.field(9, [0, 0, 0, 0]), "a stored tensor has 4 bytes where 16 are needed"),
      (Writer.field(4, [0, 0, 0, 0]), "a stored tensor has 1 values where 4 are needed"),
      ([], "a stored tensor has 0 values where 4 are needed"),
    ] as [([UInt8], String)] {
      let error = #expect(throws: ImportError.self) { try sum(tensor(1, values)) }
      #expect(error?.kind == .malformed)
      #expect(error?.headline == "initializer \"c\": \(text)")
    }
  }

  // MARK: Attributes

  /// The softmax over an axis that an attribute states.
  private func softmax(_ attribute: [UInt8]) throws -> [Float] {
    let node =
      Writer.field(1, "x") + Writer.field(2, "y") + Writer.field(4, "Softmax")
      + Writer.field(5, Writer.field(1, "axis") + attribute)
    let bytes = Writer.model([node], inputs: [Writer.value("x", [2, 2])])
    return try Model(onnx: bytes).compile().predict([0, 0, 200, 200])
  }

  @Test func typesOfAttributes() throws {
    // With the type and without it; a 0 may be left out.
    let (along, across): ([Float], [Float]) = ([0.5, 0.5, 0.5, 0.5], [0, 0, 1, 1])
    #expect(try softmax(Writer.field(3, 1) + Writer.field(20, 2)) == along)
    #expect(try softmax(Writer.field(3, 1)) == along)
    #expect(try softmax(Writer.field(3, 0) + Writer.field(20, 2)) == across)
    #expect(try softmax(Writer.field(20, 2)) == across)
    // A value of another type, no value, two values without a type, and two graphs.
    let float = Writer.varint(2 << 3 | 5) + [0, 0, 0x80, 0x3f]
    let graph = Writer.field(6, Writer.field(2, "g"))
    for attribute in [
      float + Writer.field(20, 2), [], float + Writer.field(3, 1), graph + graph,
    ] {
      let error = #expect(throws: ImportError.self) { try softmax(attribute) }
      #expect(error?.kind == .malformed)
    }
  }

  @Test func oneGraph() {
    let model = Writer.model([Writer.node("Identity", ["x"], ["y"])])
    let error = #expect(throws: ImportError.self) { try Model(onnx: model + model) }
    #expect(error?.kind == .malformed)
    #expect(throws: Never.self) { try Model(onnx: model) }
  }

  // MARK: Limits

  /// A node with a graph in an attribute.
  private func node(holding graph: [UInt8]) -> [UInt8] {
    Writer.node("If", ["x"], ["y"])
      + Writer.field(5, Writer.field(1, "then_branch") + Writer.field(6, graph))
  }

  private func kind(_ node: [UInt8], _ limits: ImportLimits) -> ImportError.Kind? {
    do throws(ImportError) {
      _ = try Model(onnx: Writer.model([node]), options: ImportOptions(limits: limits))
      return nil
    } catch { return error.kind }
  }

  /// Nodes and tensors of graphs in nodes count like those of the model.
  @Test func whatGraphsInNodesHold() {
    let nodes = (0..<9).flatMap { Writer.field(1, Writer.node("Neg", ["x"], ["a\($0)"])) }
    let tensors = (0..<9).flatMap { Writer.field(5, Writer.stored("t\($0)", [1], sizes: [1])) }
    // With the input and the output of the model, the node and its graph's nodes there are 12.
    #expect(kind(node(holding: nodes), ImportLimits(nodes: 11)) == .tooLarge)
    #expect(kind(node(holding: nodes), ImportLimits(nodes: 12)) != .tooLarge)
    #expect(kind(node(holding: tensors), ImportLimits(tensors: 8)) == .tooLarge)
    #expect(kind(node(holding: tensors), ImportLimits(tensors: 9)) != .tooLarge)
  }

  @Test func graphsInEachOther() {
    func nested(_ depth: Int) -> [UInt8] {
      (1..<depth).reduce(Writer.node("Neg", ["x"], ["y"])) { inner, _ in
        node(holding: Writer.field(1, inner))
      }
    }
    #expect(kind(nested(30), ImportLimits()) != .tooLarge)
    #expect(kind(nested(100), ImportLimits()) == .tooLarge)
    #expect(kind(nested(2000), ImportLimits()) == .tooLarge)
  }

  /// Empty messages take memory, although they take two bytes of the file each.
  @Test func emptyMessages() {
    for field in [1, 5, 11, 12] {
      let empty = Array(repeating: Writer.field(field, []), count: 600_000).flatMap(\.self)
      let model = Writer.field(7, empty + Writer.field(12, Writer.field(1, "y")))
      let error = #expect(throws: ImportError.self) { try Model(onnx: model) }
      #expect(error?.kind == .tooLarge)
    }
  }

  // MARK: Other fields

  /// Fields that Forge does not know change nothing.
  @Test func otherFields() throws {
    let own = Writer.field(900, "own") + Writer.field(901, 7) + fixed(902, [UInt64.max])
    let model = own + Writer.model([Writer.node("Neg", ["x"], ["y"]) + own]) + own
    #expect(try Model(onnx: model).compile().predict([1, 2, 3, 4]) == [-1, -2, -3, -4])
  }
}
