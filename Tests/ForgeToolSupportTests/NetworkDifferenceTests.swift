import Forge
import ForgeImporters
import ForgeToolSupport
import Testing

@Suite struct NetworkDifferenceTests {
  private func values(_ numbers: [Float], _ sizes: [Int]? = nil) -> TensorValues {
    TensorValues(shape: Shape(sizes: sizes ?? [numbers.count]), values: numbers)
  }

  @Test func layersAreMatchedByName() {
    let difference = NetworkDifference(
      .init(
        layers: [
          ("conv1", values([3, 4])), ("block/Relu:0", values([1, 1])), ("extra", values([1])),
        ], outputs: [("y", values([1, 0]))]),
      .init(
        layers: [
          ("other", values([1])), ("conv1", values([3, 3])), ("block.relu", values([1, 1])),
        ], outputs: [("z", values([1, .nan]))]))
    #expect(difference.rows.map(\.layer) == ["conv1", "block/Relu:0", "y"])
    #expect(difference.rows.map(\.other) == [nil, "block.relu", "z"])
    #expect(difference.rows[0].maximum == 1)
    #expect(difference.rows[0].relativeL2 == 0.2)
    #expect(difference.rows[1].relativeL2 == 0)
    #expect(difference.onlyFirst == ["extra"])
    #expect(difference.onlySecond == ["other"])
    #expect(difference.worstOutput.isNaN)
  }

  @Test func otherShapesAreNotCompared() {
    let difference = NetworkDifference(
      .init(
        layers: [("a", values([1, 2], [1, 1, 2])), ("b", values([1, 2], [2]))],
        outputs: [("y", values([1, 2]))]),
      .init(
        layers: [("a", values([1, 2], [2])), ("b", values([1, 2, 3]))],
        outputs: [("y", values([1]))]))
    #expect(difference.rows.map(\.relativeL2) == [0, nil, nil])
    #expect(difference.rows[1].otherShape == "3")
    #expect(difference.worstOutput == .infinity)
  }

  @Test func aNetworkEqualsItself() throws {
    let input = Input(width: 5, height: 7, channels: 3)
    let x = input --> Convolution(kernel: 3, channels: 5, activation: .relu, name: "conv")
    let model = Model(input: input, output: x --> Flatten() --> Dense(neurons: 3, name: "fc"))
    let imported = ImportedModel(
      model: model, inputs: [.init(name: "x", shape: Shape(sizes: [7, 5, 3]))],
      outputs: [.init(name: "y", shape: Shape(sizes: [3]))])
    let given = NetworkRun.Given.array(
      try StoredTensor(floats: (0..<105).map { Float($0) / 105 - 0.4 }, sizes: [1, 7, 5, 3]))
    let side = try NetworkDifference.Side(
      imported, options: CompileOptions(), parameters: RandomParameters(seed: 3),
      given: ["x": given])
    let difference = NetworkDifference(side, side)
    #expect(difference.rows.map(\.layer).filter { $0 == "conv" || $0 == "fc" }.count >= 2)
    #expect(difference.rows.allSatisfy { $0.relativeL2 == 0 })
    let other = try NetworkDifference.Side(
      imported, options: CompileOptions(), parameters: RandomParameters(seed: 4),
      given: ["x": given])
    #expect(NetworkDifference(side, other).worstOutput > 0.1)
  }
}
