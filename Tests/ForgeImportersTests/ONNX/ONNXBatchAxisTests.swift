import Forge
import ForgeImporters
import Testing

/// What an import says of batches, for programs such as servers.
@Suite struct ONNXBatchAxisTests {
  private func imported(
    _ nodes: [ONNXWriter.Message], _ inputs: [(String, [Int])]
  ) throws -> ImportedModel {
    try ImportedModel(
      onnx: ONNXWriter.model(nodes, inputs: inputs.map { ONNXWriter.value($0.0, $0.1) }))
  }

  @Test func openBatches() throws {
    let imported = try imported([ONNXWriter.node("Relu", ["x"], ["y"])], [("x", [-1, 3, 5])])
    #expect(imported.inputs.map(\.batchAxis) == [0])
    #expect(imported.outputs.map(\.batchAxis) == [0])
    #expect(imported.inputs[0].sizes == [1, 3, 5])
    #expect(imported.exampleMixer == nil)
  }

  @Test func examplesShareOneInput() throws {
    let imported = try imported(
      [ONNXWriter.node("Mul", ["x", "z"], ["y"])], [("x", [-1, 3]), ("z", [1, 3])])
    #expect(imported.inputs.map(\.batchAxis) == [0, nil])
    #expect(imported.outputs.map(\.batchAxis) == [0])
  }

  /// A constant remains one when it gets the type of the examples.
  @Test func constantsOfTheTypeOfExamples() throws {
    let imported = try ImportedModel(
      onnx: ONNXWriter.model(
        [
          ONNXWriter.node("CastLike", ["w", "x"], ["c"]),
          ONNXWriter.node("MatMul", ["x", "c"], ["y"]),
        ],
        stored: [ONNXWriter.stored("w", (0..<15).map(Float.init), sizes: [3, 5])],
        inputs: [ONNXWriter.value("x", [-1, 3])]))
    #expect(imported.exampleMixer == nil)
    #expect(imported.outputs.map(\.batchAxis) == [0])
  }

  @Test func filesWithoutABatch() throws {
    let imported = try imported([ONNXWriter.node("Relu", ["x"], ["y"])], [("x", [1, 3])])
    #expect(imported.inputs.map(\.batchAxis) == [nil])
    #expect(imported.outputs.map(\.batchAxis) == [nil])
  }

  @Test func examplesThatAreCombined() throws {
    let imported = try imported(
      [ONNXWriter.node("Softmax", ["x"], ["y"], ["axis": [0]])],
      [("x", [-1, 3])])
    #expect(imported.exampleMixer != nil)
  }

  /// A batch that the caller states as 1, because another size is open, is a batch unless a node
  /// combines its examples.
  @Test func statedBatches() throws {
    func imported(_ node: ONNXWriter.Message, _ batch: InputSize) throws -> ImportedModel {
      try ImportedModel(
        onnx: ONNXWriter.model([node], inputs: [ONNXWriter.value("x", [-1, 3, -1])]),
        options: ImportOptions(sizes: ["x": [batch, 3, 4]]))
    }
    let turned = ONNXWriter.node("Transpose", ["x"], ["y"], ["perm": [2, 0, 1]])
    let one = try imported(turned, 1)
    #expect(one.inputs.map(\.batchAxis) == [0] && one.outputs.map(\.batchAxis) == [1])
    #expect(one.outputs[0].sizes == [4, 1, 3] && one.exampleMixer == nil)
    let two = try imported(turned, 2)
    #expect(two.inputs.map(\.batchAxis) == [nil] && two.outputs.map(\.batchAxis) == [nil])
    let mixed = try imported(
      ONNXWriter.node("Softmax", ["x"], ["y"], ["axis": [0]]), 1)
    #expect(mixed.outputs.map(\.batchAxis) == [nil] && mixed.exampleMixer == nil)
  }

  @Test func extensionsOfFiles() {
    #expect(ModelFile.extensions.isSuperset(of: ["onnx", "keras", "h5", "mlmodel", "cfg"]))
    #expect(!ModelFile.extensions.contains("txt"))
  }
}
