import Forge
import ForgeTestSupport
import Testing

/// The forms in which a network, a batch and a context take inputs.
@Suite struct PredictionInputTests {
  private let image = Input(width: 5, height: 3, channels: 2, name: "image")
  private let gate = Input(shape: [2], name: "gate")

  /// Two inputs, two outputs.
  private func pair() throws -> (
    network: CompiledModel, features: Tensor, scores: Tensor, sum: Tensor
  ) {
    let features = image --> Convolution(kernel: (3, 3), channels: 2, name: "features")
    let scores = features --> GlobalAveragePooling(name: "scores")
    let sum = [scores, gate] --> Add(name: "sum")
    let network = try Model(inputs: [image, gate], outputs: [sum, scores]).compile(
      parameters: SeededParameters(), options: CompileOptions(keep: [features]))
    return (network, features, scores, sum)
  }

  private func single(_ channels: Int = 3) throws -> CompiledModel {
    let input = Input(width: 4, height: 3, channels: channels, name: "pixels")
    return try Model(
      input: input, output: input --> Dense(neurons: 5, name: "fc")
    ).compile(parameters: SeededParameters())
  }

  // MARK: References

  @Test func tensorsStandForTheirNames() throws {
    let (network, features, scores, sum) = try pair()
    let pixels = TensorValues.seeded(Shape(width: 5, height: 3, channels: 2), seed: 1)
    let values = TensorValues(shape: Shape(sizes: [2]), values: [0.5, -2])
    let named = try network.predict(["image": pixels, "gate": values])
    let handled = try network.predict([image: pixels, gate: values])
    for predictions in [named, handled] {
      #expect(predictions[sum] == predictions["sum"])
      #expect(predictions[scores] == predictions["scores"])
      #expect(predictions[features] == predictions.kept["features"])
      #expect(predictions[features]?.shape == Shape(width: 5, height: 3, channels: 2))
      #expect(predictions[image] == nil)
      #expect(predictions["nothing"] == nil)
      #expect(predictions.outputs.keys.sorted() == ["scores", "sum"])
      #expect(predictions.kept.keys.sorted() == ["features"])
    }
    #expect(named["sum"] == handled["sum"])
    let score = try #require(named["scores"]?.values)
    #expect(named["sum"]?.values == [score[0] + 0.5, score[1] - 2])
    #expect(
      named.description == """
        sum: 1×1×2 (width×height×channels)
        scores: 1×1×2 (width×height×channels)
        features: 5×3×2 (width×height×channels)
        """)
  }

  @Test func plainArraysByName() throws {
    let network = try pair().network
    let pixels = TensorValues.seeded(Shape(width: 5, height: 3, channels: 2), seed: 1)
    let expected = try network.predict([
      "image": pixels, "gate": TensorValues(shape: Shape(sizes: [2]), values: [1, 2]),
    ])
    let actual = try network.predict(["image": pixels.values, "gate": [1, 2]])
    #expect(actual["sum"] == expected["sum"])
  }

  @Test func unknownReferences() throws {
    let network = try pair().network
    let other = Input(shape: [2], name: "gate")
    let values: [Float] = [1, 2]
    let foreign = #expect(throws: PredictionError.self) {
      try network.predict([other: values])
    }
    #expect(
      foreign?.description == """
        the tensor is not an input of the model
          needs     "image", "gate"
        """)
    let missing = #expect(throws: PredictionError.self) { try network.predict(["gate": values]) }
    #expect(missing?.kind == .missingInput)
    let keep = #expect(throws: CompileError.self) {
      try Model(input: image, output: image --> Softmax()).compile(
        options: CompileOptions(keep: [gate, "nowhere"]))
    }
    #expect(keep?.description.contains("there are no such layers to keep") == true)
  }

  // MARK: One output

  @Test func severalOutputsNeedNames() throws {
    let input = Input(width: 2, height: 1, channels: 2, name: "pixels")
    let (left, right) = (
      input --> Softmax(name: "left"), input --> Activation(.relu, name: "right")
    )
    let network = try Model(inputs: [input], outputs: [left, right]).compile()
    let values: [Float] = [1, 2, 3, 4]
    let tensor = TensorValues(width: 2, height: 1, channels: 2, values: values)
    let context = try Context(network)
    var output: [Float] = []
    for attempt in [
      { _ = try network.predict(values) }, { _ = try network.predict(tensor) },
      { _ = try network.predict(values[...]) }, { _ = try network.predict(values.span) },
      { _ = try network.predict(values, scale: 2) }, { _ = try network.predict(values, batch: 1) },
      { _ = try network.predict(batch: [values]) }, { _ = try context.predict(values) },
      { try context.predict(values, into: &output) },
    ] {
      let error = #expect(throws: PredictionError.self) { try attempt() }
      #expect(error?.kind == .severalOutputs)
      #expect(
        error?.description == """
          the model has 2 outputs, so they are found by name
            received  "left", "right"
            remedy    predict(["pixels": values])["left"]
          """)
    }
    #expect(try network.predict(["pixels": values])[right]?.values == values)
    #expect(try context.predict(["pixels": values])["right"]?.values == values)
  }

  // MARK: Element types and layouts

  @Test func elementsOfEveryType() throws {
    let network = try single(1)
    let bytes = (0..<12).map { UInt8($0 * 20) }
    let expected = try network.predict(bytes.map { Float($0) })
    #expect(try network.predict(bytes) == expected)
    #expect(try network.predict(bytes[...]) == expected)
    #expect(try network.predict(bytes.map { Int($0) }) == expected)
    #expect(try network.predict(bytes.map { Int32($0) }) == expected)
    #expect(try network.predict(bytes.map { Int64($0) }) == expected)
    #expect(try network.predict(bytes.map { UInt16($0) }) == expected)
    #expect(try network.predict(bytes.map { Double($0) }) == expected)
    #expect(try network.predict(bytes.map { Float16($0) }) == expected)
    let halves = bytes.map { Int8($0 / 2) }
    #expect(try network.predict(halves) == network.predict(halves.map { Float($0) }))
    let flags = bytes.map { $0 > 100 }
    #expect(try network.predict(flags) == network.predict(flags.map { $0 ? 1 : 0 as Float }))
    let floats = bytes.map { Float($0) }
    #expect(try network.predict(floats.span) == expected)
    #expect(
      try floats.withUnsafeBufferPointer { try network.predict($0, scale: 1) } == expected)
  }

  @Test func scaleAndBias() throws {
    let network = try single()
    let bytes = (0..<36).map { UInt8($0 * 7) }
    let expected = try network.predict(bytes.map { Float($0) * (1 / 127.5) + -1 })
    #expect(try network.predict(bytes, scale: 1 / 127.5, bias: -1) == expected)
    let tensor = TensorValues(
      width: 4, height: 3, channels: 3, elements: bytes, scale: 1 / 127.5, bias: -1)
    #expect(try network.predict(tensor) == expected)
    let context = try Context(network, batch: 2)
    try context.set("pixels", to: bytes, example: 1, scale: 1 / 127.5, bias: -1)
    try context.predict(batch: 2)
    #expect(context["fc", example: 1]?.values == expected)
    #expect(context["fc"]?.values != expected)
  }

  @Test func channelsFirst() throws {
    let network = try single()
    let last = seededValues(count: 36, seed: 5)
    let first = (0..<3).flatMap { channel in (0..<12).map { last[$0 * 3 + channel] } }
    let expected = try network.predict(last)
    #expect(try network.predict(first) != expected)
    #expect(try network.predict(first, scale: 1, layout: .channelsFirst) == expected)
    let tensor = TensorValues(
      width: 4, height: 3, channels: 3, elements: first, layout: .channelsFirst)
    #expect(tensor.values == last)
    #expect(tensor.values(in: .channelsFirst) == first)
    #expect(tensor.values(in: .channelsLast) == last)
    #expect(try network.predict(tensor) == expected)
    let context = try Context(network)
    try context.set("pixels", to: first, layout: .channelsFirst)
    try context.predict()
    #expect(context["fc"]?.values == expected)
  }

  @Test func wrongCountsInEveryForm() throws {
    let network = try single()
    let context = try Context(network)
    let short = [UInt8](repeating: 1, count: 35)
    let description = """
      input "pixels" has the wrong number of values
        received  35 values
        needs     36 values: 4×3×3 (width×height×channels)
      """
    for attempt in [
      { _ = try network.predict(short) },
      { _ = try network.predict(short, scale: 1, layout: .channelsFirst) },
      { _ = try network.predict(["pixels": short]) },
      { _ = try network.predict(batch: [short]) },
      { try context.set("pixels", to: short, layout: .channelsFirst) },
      { _ = try context.predict(short) },
      {
        _ = try network.predict(
          TensorValues(
            width: 4, height: 3, channels: 3, elements: short, layout: .channelsFirst))
      },
    ] {
      let error = #expect(throws: PredictionError.self) { try attempt() }
      #expect(error?.description == description)
    }
    let empty: [Float] = []
    #expect(throws: PredictionError.self) { try network.predict(empty) }
    #expect(throws: PredictionError.self) { try network.predict([]) }
    let none: [[Float]] = []
    #expect(throws: PredictionError.self) { try network.predict(batch: none) }
  }

  // MARK: Batches

  @Test func batchesOfChangingSizes() throws {
    let input = Input(name: "photo")
    let small = input --> Resize(width: 6, height: 5, name: "resize")
    let output = small --> Dense(neurons: 4, name: "fc")
    let network = try Model(inputs: [input], outputs: [output, small]).compile(
      parameters: SeededParameters())
    let examples = [(7, 5), (11, 13), (7, 5), (1, 1), (64, 3)].enumerated().map { index, size in
      TensorValues.seeded(
        Shape(width: size.0, height: size.1, channels: 3), seed: UInt64(index + 1))
    }
    let expected = try examples.map { try network.predict(["photo": $0]) }
    let batch = try network.predict(batch: examples.map { ["photo": $0] })
    for (actual, expected) in zip(batch, expected) {
      #expect(actual["fc"]?.values.bits == expected["fc"]?.values.bits)
      #expect(actual["resize"]?.values.bits == expected["resize"]?.values.bits)
    }
    let crops = [
      CropRectangle(x: 0, y: 0, width: 3, height: 2),
      CropRectangle(x: 4, y: 5, width: 6.5, height: 7),
    ]
    let cropped = try network.predict(
      batch: zip(examples, crops).map { PredictionInputs(["photo": $0], crops: ["resize": $1]) })
    for (index, crop) in crops.enumerated() {
      let alone = try network.predict(["photo": examples[index]], crops: ["resize": crop])
      #expect(cropped[index]["fc"]?.values.bits == alone["fc"]?.values.bits)
      #expect(alone["fc"]?.values.bits != expected[index]["fc"]?.values.bits)
    }
    // The last of three does not fit; nothing is predicted.
    let bad = #expect(throws: PredictionError.self) {
      try network.predict(batch: [
        ["photo": examples[0]],
        ["photo": TensorValues(width: 2, height: 2, channels: 3, values: [])],
      ])
    }
    #expect(bad?.kind == .wrongValueCount)
  }

  // MARK: Contexts

  @Test func contextByNameAndTensor() throws {
    let (network, features, _, sum) = try pair()
    let pixels = TensorValues.seeded(Shape(width: 5, height: 3, channels: 2), seed: 1)
    let expected = try network.predict(["image": pixels.values, "gate": [3, 4]])
    let context = try Context(network, batch: 2)
    try context.set("image", to: pixels, example: 1)
    try context.set(gate, to: [3, 4], example: 1)
    try context.predict(batch: 2)
    #expect(context[sum, example: 1] == expected[sum])
    #expect(context["features", example: 1] == expected[features])
    #expect(context["sum", example: 2] == nil)
    #expect(context["sum", example: -1] == nil)
    #expect(context["image"] == nil)
    #expect(try context.index(ofInput: gate) == 1)
    #expect(try context.index(ofOutput: "features") == 2)
    #expect(throws: PredictionError.self) { try context.index(ofOutput: "image") }
    #expect(throws: PredictionError.self) { try context.set("sum", to: [1]) }
    #expect(throws: PredictionError.self) { try context.set("gate", to: [1, 2], example: 2) }
    let shape = #expect(throws: PredictionError.self) {
      try context.set(
        "image", to: TensorValues(width: 3, height: 5, channels: 2, values: pixels.values))
    }
    #expect(shape?.kind == .wrongShape)
    let predictions = try context.predict([image: pixels.values, gate: [3, 4]])
    #expect(predictions[sum] == expected[sum])
  }

  @Test func contextIntoAnArray() throws {
    let network = try single()
    let context = try Context(network)
    let values = seededValues(count: 36, seed: 2)
    let expected = try network.predict(values)
    var output: [Float] = []
    try context.predict(values, into: &output)
    #expect(output == expected)
    output = Array(repeating: 7, count: 9)
    try context.predict(values, into: &output)
    #expect(output == expected)
  }

  @Test func contextOfUnknownSizeTakesOnlyItsOwn() throws {
    let network = try (Model() --> Resize(width: 3, height: 2) --> Activation(.relu)).compile()
    let shape = Shape(width: 4, height: 5, channels: 3)
    let context = try Context(network, inputShapes: ["input": shape])
    let fitting = TensorValues.seeded(shape, seed: 1)
    #expect(try context.predict(fitting) == network.predict(fitting))
    #expect(try context.predict(fitting.values) == network.predict(fitting))
    let error = #expect(throws: PredictionError.self) {
      try context.predict(TensorValues.seeded(Shape(width: 5, height: 4, channels: 3), seed: 1))
    }
    #expect(
      error?.description == """
        input "input" has the wrong shape
          received  5×4×3 (width×height×channels)
          needs     4×5×3 (width×height×channels)
        """)
  }

  @Test func realtimeContextByName() throws {
    let network = try pair().network
    let pixels = TensorValues.seeded(Shape(width: 5, height: 3, channels: 2), seed: 1)
    let expected = try network.predict(["image": pixels.values, "gate": [3, 3]])
    let context = try RealtimeContext(network)
    let image = try context.index(ofInput: image)
    context.withInput(image) { span in
      for index in span.indices { span[index] = pixels.values[index] }
    }
    context.setInput(try context.index(ofInput: "gate"), to: 3)
    try context.predict()
    let sum = try context.index(ofOutput: "sum")
    #expect(
      context.withOutput(sum) { span in span.indices.map { span[$0] } }
        == expected["sum"]?.values)
    #expect(throws: PredictionError.self) { try context.index(ofInput: "sum") }

    let short = try single()
    let small = try RealtimeContext(short, batch: 2)
    let values = seededValues(count: 36, seed: 2)
    var output = [Float](repeating: 0, count: 5)
    var span = output.mutableSpan
    try small.predict(values.span, into: &span)
    #expect(try output == short.predict(values))
  }
}
