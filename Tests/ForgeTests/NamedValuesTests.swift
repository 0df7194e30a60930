import Forge
import ForgeTestSupport
import Testing

/// Several inputs and outputs, found by name.
@Suite struct NamedValuesTests {
  @Test func severalInputsAndOutputs() throws {
    let image = Input(width: 5, height: 4, channels: 3, name: "image")
    let mask = Input(width: 5, height: 4, channels: 1, name: "mask")
    let vector = Input(shape: [6], name: "vector")
    let masked = [image, mask] --> Multiply(name: "masked")
    let features = masked --> Dense(neurons: 6, activation: .tanh, name: "features")
    let scores = [features, vector] --> Add(name: "scores")
    let model = Model(inputs: [vector, image, mask], outputs: [scores, masked])
    let network = try model.compile(parameters: SeededParameters())
    #expect(network.inputNames == ["vector", "image", "mask"])
    #expect(network.inputShapes.map(\.sizeText) == ["6", "5×4×3", "5×4×1"])
    #expect(network.outputNames == ["scores", "masked"])
    #expect(network.outputShapes.map(\.sizeText) == ["1×1×6", "5×4×3"])

    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: 8)
    let expected = try reference.run(inputs).outputs
    let predictions = try network.predict([
      "mask": inputs[2], "vector": inputs[0], "image": inputs[1],
    ])
    #expect(Set(predictions.outputs.keys) == ["scores", "masked"])
    #expect(predictions.outputs["scores"]?.shape == .vector(6))
    #expect(predictions.outputs["masked"]?.shape == Shape(width: 5, height: 4, channels: 3))
    expectClose(try #require(predictions["scores"]?.values), expected[0], relativeL2: 1e-6)
    expectClose(try #require(predictions["masked"]?.values), expected[1], relativeL2: 1e-6)
    #expect(predictions["features"] == nil)
  }

  /// A context's inputs are in order of declaration, whatever the order of creation.
  @Test func inputsFollowDeclarationOrder() throws {
    let (a, b, c) = (
      Input(width: 2, height: 1, channels: 1), Input(width: 2, height: 1, channels: 1),
      Input(width: 2, height: 1, channels: 1)
    )
    let output = [a, [b, c] --> Subtract()] --> Subtract()
    let network = try Model(inputs: [c, a, b], outputs: [output]).compile()
    #expect(network.inputNames == ["input3", "input", "input2"])
    let context = try Context(network)
    for (index, value) in [Float(1), 20, 300].enumerated() {
      context.withInput(index) { span in
        for position in span.indices { span[position] = value }
      }
    }
    try context.predict()
    // a − (b − c)
    #expect(context.withOutput(0) { span in span.indices.map { span[$0] } } == [-279, -279])
  }

  @Test func duplicateOutputNamesAreNumbered() throws {
    let input = Input(width: 2, height: 1, channels: 2)
    let shared = Convolution(kernel: (1, 1), channels: 2, name: "shared")
    let (first, second) = (input --> shared, input --> Activation(.relu) --> shared)
    let other = input --> Activation(.tanh, name: "shared_2")
    let model = Model(inputs: [input], outputs: [first, second, other, first])
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(keep: ["shared"]))
    #expect(
      network.outputNames == ["shared", "shared_2", "shared_2_2", "shared_3", "shared"])
    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: 2)
    let expected = try reference.run(inputs).outputs
    let predictions = try network.predict(ordered: inputs)
    for (name, values) in zip(network.outputNames, expected) {
      expectClose(
        try #require(predictions.outputs[name]?.values), values, relativeL2: 1e-6, name)
    }
    // A name stands for its first layer.
    #expect(predictions.kept["shared"]?.values == predictions.outputs["shared"]?.values)
  }

  @Test func inputAsOutput() throws {
    let input = Input(width: 2, height: 2, channels: 3)
    let network = try Model(inputs: [input], outputs: [input, input --> Softmax()]).compile()
    let values = seededValues(count: 12, seed: 1)
    #expect(network.outputNames == ["input", "__Softmax_1__"])
    #expect(try network.predict(["input": values])["input"]?.values == values)
    let any = try Model(channels: 3).compile()
    let picture = TensorValues(width: 2, height: 2, channels: 3, values: values)
    #expect(try any.predict(picture) == values)
  }

  @Test func metadataIsPreserved() throws {
    let input = Input(width: 1, height: 1, channels: 3)
    let metadata = ModelMetadata(
      name: "Three", about: "a test", labels: ["left", "middle", "right"])
    let model = Model(input: input, output: input --> Softmax(), metadata: metadata)
    let network = try model.compile()
    #expect(network.metadata.name == "Three")
    #expect(network.metadata.about == "a test")
    let ranking = try network.predict([1, 3, 2]).top(k: 2, labels: network.metadata.labels)
    #expect(ranking.map(\.label) == ["middle", "right"])
    let chained = (model --> Activation(.relu)).metadata
    #expect(chained.labels == metadata.labels)
  }

  @Test func maximumBatchAndInstructionSet() throws {
    let input = Input(width: 1, height: 1, channels: 3)
    let model = Model(input: input, output: input --> Softmax())
    #expect(try model.compile().maximumBatch == 64)
    let best = try #require(CompileOptions.InstructionSet.present.last)
    #expect(try model.compile().instructionSet == best)
    let small = try model.compile(
      options: CompileOptions(maximumBatch: 1, instructionSet: .scalar))
    #expect(small.maximumBatch == 1)
    #expect(small.instructionSet == .scalar)
    #expect(try small.predict(batch: [[1, 2, 3], [3, 2, 1]]).count == 2)
  }
}
