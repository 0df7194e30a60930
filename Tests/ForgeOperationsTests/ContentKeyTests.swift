import ForgeOperations
import ForgeShapes
import ForgeSystem
import Testing

/// Keys: equal for equal values, other for anything that differs, and none for what has no value.
@Suite struct ContentKeyTests {
  private func hash(_ value: some Encodable) throws -> ContentHash {
    var key = ContentKey()
    try key.add(value)
    return key.hash
  }

  private enum Plain: Encodable { case a, b, c }

  private enum Mixed: Encodable, CustomStringConvertible {
    case none, other
    case one(Int)
    case text(String)
    var description: String { "the same for all" }
  }

  private struct Nested: Encodable {
    var numbers: [Float] = [1, 2]
    var table: [String: Int] = ["a": 1, "b": 2]
    var chosen: Set<Int> = [1, 2, 3]
    var option: Int?
    var mixed = Mixed.one(3)
    var double = 2.5
    var inner = Inner()
    var missing: Int?
  }

  private struct Inner: Encodable {
    var missing: Int?
  }

  @Test func everyPartCounts() throws {
    var values = Array(repeating: Nested(), count: 13)
    values[1].numbers[1] = 2.0000002
    values[2].table["b"] = 3
    values[3].table = ["a": 2, "b": 1]
    values[4].chosen.insert(4)
    values[5].option = 0
    values[6].mixed = .one(4)
    values[7].mixed = .none
    values[8].mixed = .other
    values[9].mixed = .text("3")
    values[10].double = 2.25
    values[11].inner.missing = 7
    values[12].missing = 7
    let hashes = try values.map { try hash($0) }
    #expect(Set(hashes).count == values.count)
    #expect(try values.map { try hash($0) } == hashes)
    #expect(try Set([Plain.a, .b, .c].map { try hash($0) }).count == 3)
    #expect(try Set([[[1, 2]], [[1], [2]], [[], [1, 2]], []].map { try hash($0) }).count == 4)
    #expect(try hash([1, 2]) != hash([[1, 2]]))
    #expect(try hash(["ab", "c"]) != hash(["a", "bc"]))
  }

  /// Numbers are their bits, alone and in arrays.
  @Test func floatsOfOtherBits() throws {
    let numbers: [Float] = [
      0, -0.0, 1, Float(1).nextUp, .nan, -Float.nan, .signalingNaN,
      Float(bitPattern: 0x7FC0_0001), .infinity, .leastNonzeroMagnitude,
    ]
    #expect(try Set(numbers.map { try hash($0) }).count == numbers.count)
    #expect(try Set(numbers.map { try hash([$0]) }).count == numbers.count)
    let doubles: [Double] = [0, -0.0, .nan, -Double.nan, Double(bitPattern: 0x7FF8_0000_0000_0001)]
    #expect(try Set(doubles.map { try hash($0) }).count == doubles.count)
    for number in numbers { #expect(try hash([number]) == hash([number])) }
    #expect(try hash([Float]()) != hash([0] as [Float]))
  }

  /// Every process makes this key: hash tables and addresses differ, the bytes do not.
  @Test func everyProcessMakesTheSameKey() throws {
    var value = Nested()
    value.table = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) })
    value.chosen = Set(0..<50)
    #expect(
      try hash(value).hex
        == "7633918611f5d2c97b1a74a62ea67dc183e310b56ffdc0fc0ff3d7f205c020ea")
  }

  @Test func dictionariesHaveNoOrder() throws {
    let pairs = (0..<50).map { ("key \($0)", $0) }
    let one = Dictionary(uniqueKeysWithValues: pairs)
    var other: [String: Int] = Dictionary(minimumCapacity: 1000)
    for (key, value) in pairs.reversed() { other[key] = value }
    #expect(try hash(one as [String: Int]) == hash(other))
    #expect(try hash(Set(pairs.map(\.1))) == hash(Set(pairs.map(\.1).reversed())))
  }

  @Test func equalGraphsHaveEqualKeys() throws {
    func graph(_ outputs: Int) throws -> OperationGraph {
      var lowering = Lowering()
      lowering.begin(layer: 1, name: "fc", inputs: [lowering.graph.addInput(Shape(sizes: [3]))])
      let weights = try lowering.parameter(.weights, [.outputs: outputs, .inputs: 3])
      let constant = try lowering.constant([1, 2, 3], shape: Shape(sizes: [3]))
      let sum = try lowering.apply(.binary(.add), to: [lowering.inputs[0], constant])
      lowering.graph.outputs = [try lowering.apply(.dense(outputs: outputs), to: [sum, weights])]
      return lowering.graph
    }
    #expect(try hash(graph(5)) == hash(graph(5)))
    #expect(try hash(graph(5)) != hash(graph(6)))
  }

  /// Swift code has no key, wherever it is.
  @Test func whatHasNoValueIsRefused() {
    let custom = Primitive.custom(CustomOperation { _, _ in })
    for value in [[custom], [.identity, custom]] {
      let error = #expect(throws: ContentKey.Unkeyed.self) { try hash(value) }
      #expect(error?.type == "ForgeOperations.CustomOperation")
    }
    #expect(throws: ContentKey.Unkeyed.self) { try hash(["a": custom]) }
  }
}
