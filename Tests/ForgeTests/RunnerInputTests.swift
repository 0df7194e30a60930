import Dispatch
import Forge
import ForgeTestSupport
import Testing

/// A runner of a compiled model with inputs of any size, several inputs and outputs, and crops.
@Suite struct RunnerInputTests {
  private let meta = Input(shape: [4], name: "meta")
  private let photo = Input(name: "photo")

  /// A photo of any size and four numbers in; scores and the resized photo out.
  private func network() throws -> CompiledModel {
    let small = photo --> Resize(width: 6, height: 5, name: "resize")
    let features = small --> Dense(neurons: 4, activation: .tanh, name: "features")
    let scores = [features, meta] --> Multiply(name: "scores")
    return try Model(inputs: [photo, meta], outputs: [scores, small]).compile(
      parameters: SeededParameters(), options: CompileOptions(keep: [features], threads: 1))
  }

  /// Requests of changing sizes, every second one with a crop.
  private func requests(_ count: Int) -> [PredictionInputs] {
    (0..<count).map { index in
      let (width, height) = (3 + index * 7 % 31, 2 + index * 5 % 23)
      let photo = TensorValues.seeded(
        Shape(width: width, height: height, channels: 3), seed: UInt64(index + 1))
      let values = TensorValues(
        shape: Shape(sizes: [4]), values: seededValues(count: 4, seed: UInt64(index + 99)))
      let crop = CropRectangle(x: 1, y: 0.5, width: Double(width) - 2, height: 1.5)
      return PredictionInputs(
        ["photo": photo, "meta": values], crops: index % 2 == 1 ? ["resize": crop] : [:])
    }
  }

  private func expectSame(_ actual: Predictions, _ expected: Predictions) {
    for name in ["scores", "resize", "features"] {
      #expect(actual[name]?.shape == expected[name]?.shape)
      #expect(actual[name]?.values.bits == expected[name]?.values.bits)
    }
  }

  @Test(arguments: [1, 2, 3], [1, 3])
  func everyFormHasTheBitsOfTheNetwork(slots: Int, batch: Int) async throws {
    let network = try network()
    let requests = requests(12)
    let expected = try requests.map { try network.predict($0) }
    let runner = try Runner(network, inflightBuffers: slots, batch: batch, within: .zero)
    for (request, expected) in zip(requests, expected) {
      expectSame(try await runner.predict(request), expected)
      let result = try await runner.result(for: request)
      expectSame(result.prediction, expected)
      #expect(result.kept["features"] == expected["features"])
    }
    for (actual, expected) in zip(try await runner.predictBatch(requests), expected) {
      expectSame(actual, expected)
    }
    var count = 0
    for try await result in try runner.predictions(of: requests) {
      #expect(result.index == count)
      expectSame(result.prediction, expected[count])
      count += 1
    }
    #expect(count == requests.count)
    let source = AsyncStream { continuation in
      for request in requests { continuation.yield(request) }
      continuation.finish()
    }
    count = 0
    for try await result in try runner.predictions(of: source) {
      expectSame(result.prediction, expected[count])
      count += 1
    }
    #expect(count == requests.count)
    let called: Predictions = try await withCheckedThrowingContinuation { continuation in
      runner.predict(requests[3], queue: .global()) { result in
        continuation.resume(with: result.map(\.prediction))
      }
    }
    expectSame(called, expected[3])
    #expect(runner.isAtRest)
  }

  @Test func dictionariesAndTensors() async throws {
    let network = try network()
    let runner = try Runner(network, inflightBuffers: 2)
    let picture = TensorValues.seeded(Shape(width: 9, height: 8, channels: 3), seed: 3)
    let values = TensorValues(shape: Shape(sizes: [4]), values: [1, 2, 3, 4])
    let expected = try network.predict(["photo": picture, "meta": values])
    expectSame(try await runner.predict(["photo": picture, "meta": values]), expected)
    expectSame(try await runner.predict([photo: picture, meta: values]), expected)
    let crop = CropRectangle(x: 2, y: 2, width: 3, height: 4)
    let cropped = try network.predict([photo: picture, meta: values], crops: ["resize": crop])
    expectSame(
      try await runner.predict([photo: picture, meta: values], crops: ["resize": crop]), cropped)
    let pipeline = runner.pipeline { (index: Int) in
      [
        photo: picture,
        meta: TensorValues(shape: Shape(sizes: [4]), values: [Float(index), 2, 3, 4]),
      ]
    } readOut: { result in
      result.prediction["scores"]?.values
    }
    #expect(try await pipeline.predict(1) == expected["scores"]?.values)
  }

  /// Pictures of changing sizes stream through the short form.
  @Test func picturesOfChangingSizes() async throws {
    let model = Model() --> Resize(width: 8, height: 8) --> Dense(neurons: 3, name: "fc")
    let network = try model.compile(parameters: SeededParameters())
    let runner = try Runner(network, inflightBuffers: 3)
    let pictures = (1...40).map { index in
      TensorValues.seeded(
        Shape(width: 1 + index * 13 % 37, height: 1 + index * 7 % 29, channels: 3),
        seed: UInt64(index))
    }
    let expected = try pictures.map { try network.predict($0) }
    var results: [[Float]] = []
    for try await result in try runner.predictions(of: pictures) {
      results.append(result.prediction)
    }
    #expect(results.map(\.bits) == expected.map(\.bits))
    #expect(try await runner.predictBatch(pictures).map(\.bits) == expected.map(\.bits))
  }

  @Test func plainValuesOfEveryType() async throws {
    let input = Input(width: 2, height: 2, channels: 1)
    let network = try Model(input: input, output: input --> Softmax()).compile()
    let runner = try Runner(network, inflightBuffers: 1)
    let bytes: [UInt8] = [1, 2, 3, 4]
    let expected = try network.predict([1, 2, 3, 4])
    #expect(try await runner.predict(bytes) == expected)
    #expect(try await runner.predict(bytes[...]) == expected)
    #expect(try await runner.predict([1, 2, 3, 4] as [Float]) == expected)
    #expect(try await runner.predictBatch([bytes, bytes]) == [expected, expected])
  }

  /// A mistake belongs to its own prediction, also within a micro-batch.
  @Test(arguments: [1, 4])
  func mistakes(batch: Int) async throws {
    let network = try network()
    let runner = try Runner(
      network, inflightBuffers: 1, batch: batch, within: .milliseconds(20))
    let good = requests(1)[0]
    let picture = TensorValues.seeded(Shape(width: 9, height: 8, channels: 3), seed: 3)
    let four = TensorValues(shape: Shape(sizes: [4]), values: [1, 2, 3, 4])
    let wrong: [(PredictionInputs, PredictionError.Kind)] = [
      (PredictionInputs(picture), .missingInput),
      (PredictionInputs(["photo": picture]), .missingInput),
      (PredictionInputs(["photo": picture, "mata": four]), .unknownName),
      (PredictionInputs(["photo": four, "meta": four]), .wrongShape),
      (PredictionInputs(["photo": picture, "meta": picture]), .wrongShape),
      (
        PredictionInputs(
          ["photo": picture, "meta": four],
          crops: ["resize": CropRectangle(x: 0, y: 0, width: 10, height: 1)]), .wrongCrop
      ),
      (
        PredictionInputs(
          ["photo": picture, "meta": four],
          crops: ["fc": CropRectangle(x: 0, y: 0, width: 1, height: 1)]), .unknownName
      ),
    ]
    let expected = try network.predict(good)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (inputs, kind) in wrong {
        group.addTask {
          let error = await #expect(throws: PredictionError.self) {
            try await runner.predict(inputs)
          }
          #expect(error?.kind == kind)
        }
        group.addTask { self.expectSame(try await runner.predict(good), expected) }
      }
      try await group.waitForAll()
    }
    // Plain values take one output, and the model has two.
    let several = await #expect(throws: PredictionError.self) { try await runner.predict([1, 2]) }
    #expect(several?.kind == .severalOutputs)
    #expect(throws: PredictionError.self) { try runner.predictions(of: [[1, 2]]) }
    #expect(runner.isAtRest)
  }

  /// A custom layer that throws fails its own example and no other of the micro-batch.
  @Test func failuresInAMicroBatch() async throws {
    struct Refused: Error {}
    let input = Input(shape: [1])
    let output =
      input
      --> Custom(shape: { $0[0] }) { inputs, output in
        if inputs[0][0] < 0 { throw Refused() }
        output[0] = inputs[0][0] * 2
      }
    let network = try Model(input: input, output: output).compile()
    let runner = try Runner(network, inflightBuffers: 1, batch: 4, within: .milliseconds(50))
    await withTaskGroup(of: Void.self) { group in
      for value in [1, -1, 2, 3] as [Float] {
        group.addTask {
          let result = try? await runner.predict([value])
          #expect(result == (value < 0 ? nil : [value * 2]))
        }
      }
    }
  }
}
