import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Weights that several nodes read, and weights that an import computes.
@Suite struct ONNXSharedWeightTests {
  private static let size = 67

  private func values(_ seed: UInt64) -> [Float] {
    seededValues(count: Self.size * Self.size, seed: seed, range: -0.12...0.12)
  }

  /// A chain of products, each followed by Relu, with the weights of the given names.
  private func chain(
    _ names: [String], stored: [ONNXWriter.Message], before: [ONNXWriter.Message] = []
  ) -> [UInt8] {
    var nodes = before
    var last = "x"
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      nodes.append(ONNXWriter.node("MatMul", [last, name], ["m\(index)"]))
      last = isLast ? "y" : "r\(index)"
      nodes.append(ONNXWriter.node("Relu", ["m\(index)"], [last]))
    }
    return ONNXWriter.model(
      nodes, stored: stored, inputs: [ONNXWriter.value("x", [1, 3, Self.size])])
  }

  private func tensor(_ name: String, _ values: [Float]) -> ONNXWriter.Message {
    ONNXWriter.stored(name, values, sizes: [Self.size, Self.size])
  }

  private func compiled(_ bytes: [UInt8]) throws -> (Model, CompiledModel) {
    let model = try Model(onnx: bytes)
    return (model, try model.compile())
  }

  private var input: [Float] { seededValues(count: 3 * Self.size, seed: 9) }

  /// Five nodes read one tensor: it is counted and packed once, and computes what five equal tensors
  /// do.
  @Test func oneTensorOfManyNodesIsOneParameter() throws {
    let weights = values(1)
    let names = (0..<5).map { "w\($0)" }
    let (shared, network) = try compiled(
      chain(Array(repeating: "w", count: 5), stored: [tensor("w", weights)]))
    let (apart, other) = try compiled(chain(names, stored: names.map { tensor($0, weights) }))
    let (_, single) = try compiled(chain(["w"], stored: [tensor("w", weights)]))
    #expect(shared.parameterCount == Self.size * Self.size)
    #expect(apart.parameterCount == 5 * Self.size * Self.size)
    #expect(shared.summary().hasSuffix("Total parameters: \(Self.size * Self.size)"))
    #expect(network.memory.packedParameters == single.memory.packedParameters)
    #expect(other.memory.packedParameters > 4 * network.memory.packedParameters)
    #expect(try network.predict(input).map(\.bitPattern) == other.predict(input).map(\.bitPattern))
  }

  /// Sums after the products, of one bias or of several, do not copy the weights.
  @Test(arguments: [1, 5]) func biasesLeaveWeightsShared(_ biases: Int) throws {
    func chain(_ weights: [String]) throws -> CompiledModel {
      var last = "x"
      var nodes: [ONNXWriter.Message] = []
      for (index, name) in weights.enumerated() {
        nodes.append(ONNXWriter.node("MatMul", [last, name], ["m\(index)"]))
        last = index == weights.count - 1 ? "y" : "s\(index)"
        nodes.append(
          ONNXWriter.node("Add", ["m\(index)", "b\(index % biases)"], [last]))
      }
      let stored =
        Set(weights).sorted().map { tensor($0, values(1)) }
        + (0..<biases).map {
          ONNXWriter.stored(
            "b\($0)", seededValues(count: Self.size, seed: UInt64($0) + 20), sizes: [Self.size])
        }
      return try compiled(
        ONNXWriter.model(
          nodes, stored: stored, inputs: [ONNXWriter.value("x", [1, 3, Self.size])])
      ).1
    }
    let shared = try chain(Array(repeating: "w", count: 5))
    let apart = try chain((0..<5).map { "w\($0)" })
    #expect(apart.memory.packedParameters > 4 * shared.memory.packedParameters)
    #expect(
      try shared.predict(input).map(\.bitPattern) == apart.predict(input).map(\.bitPattern))
  }

  /// A tensor that nodes read in several ways is packed in each.
  @Test func severalReadingsOfOneTensor() throws {
    let weights = values(2)
    let nodes = [
      ONNXWriter.node("MatMul", ["x", "w"], ["a"]),
      ONNXWriter.node("Reshape", ["a", "rows"], ["b"]),
      ONNXWriter.node("Gemm", ["b", "w"], ["c"], ["transB": [1]]),
      ONNXWriter.node("Reshape", ["c", "back"], ["y"]),
    ]
    let imported = try ImportedModel(
      onnx: ONNXWriter.model(
        nodes,
        stored: [
          tensor("w", weights), ONNXWriter.stored("rows", [3, Self.size]),
          ONNXWriter.stored("back", [1, 3, Self.size]),
        ], inputs: [ONNXWriter.value("x", [1, 3, Self.size])]))
    let network = try imported.model.compile()
    let size = Self.size
    func product(_ rows: [Float], transposed: Bool) -> [Float] {
      (0..<3 * size).map { index in
        let (row, column) = (index / size, index % size)
        return Float(
          (0..<size).reduce(0.0) { sum, k in
            let weight = transposed ? weights[column * size + k] : weights[k * size + column]
            return sum + Double(rows[row * size + k]) * Double(weight)
          })
      }
    }
    let expected = product(product(input, transposed: false), transposed: true)
    let found = try network.predict(imported.inputs[0].forgeValues(input).values)
    expectClose(try imported.outputs[0].fileValues(found), expected, relativeL2: 1e-6)
  }

  /// Steps of a computed weight are let go: it is computed again whenever a model is compiled.
  @Test func computedWeightsAreLetGo() throws {
    let (weights, scales) = (values(3), values(4))
    let before = [
      ONNXWriter.node("Transpose", ["w"], ["t"], ["perm": [1, 0]]),
      ONNXWriter.node("Mul", ["t", "s"], ["p"]),
      ONNXWriter.node("Add", ["p", "w"], ["v"]),
    ]
    let model = try Model(
      onnx: chain(["v", "v"], stored: [tensor("w", weights), tensor("s", scales)], before: before))
    let size = Self.size
    let computed = (0..<size * size).map { index -> Float in
      weights[index % size * size + index / size] * scales[index] + weights[index]
    }
    let plain = try Model(onnx: chain(["v", "v"], stored: [tensor("v", computed)]))
    let source = try #require(model.parameters as? ImportedParameters)
    #expect(source.heldByteCount == 0)
    #expect(model.parameterCount == size * size)
    let expected = try plain.compile().predict(input)
    for _ in 0..<2 {
      #expect(try model.compile().predict(input).map(\.bitPattern) == expected.map(\.bitPattern))
    }
    #expect(source.heldByteCount == 0)
  }

  /// Sums of sums of one constant would take twice the work with each; they keep their values.
  @Test func longChainsOfConstantsAreComputedOnce() throws {
    var before: [ONNXWriter.Message] = []
    for step in 0..<40 {
      let name = step == 0 ? "w" : "c\(step)"
      before.append(ONNXWriter.node("Add", [name, name], ["d\(step)"]))
      before.append(ONNXWriter.node("Mul", ["d\(step)", "half"], ["c\(step + 1)"]))
    }
    let weights = values(5)
    let model = try Model(
      onnx: chain(
        ["c40"],
        stored: [tensor("w", weights), ONNXWriter.stored("half", [0.5], sizes: [1])],
        before: before))
    let expected = try Model(onnx: chain(["w"], stored: [tensor("w", weights)])).compile()
    let start = ContinuousClock.now
    #expect(
      try model.compile().predict(input).map(\.bitPattern)
        == expected.predict(input).map(\.bitPattern))
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
