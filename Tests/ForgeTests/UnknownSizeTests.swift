import Forge
import ForgeTestSupport
import Testing

/// Inputs whose sizes are chosen at every prediction.
@Suite struct UnknownSizeTests {
  /// Odd, prime, tiny, wide and tall.
  private static let sizes = [(5, 7), (64, 3), (1, 1), (13, 29), (2, 31), (8, 8)]

  /// Expects the reference's values for images of several sizes in turn, twice each.
  private func expectAgreement(
    _ model: Model, sizes: [(Int, Int)] = sizes, channels: Int = 3, planCacheSize: Int = 8,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reference = try ReferenceModel(model)
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(planCacheSize: planCacheSize))
    for round in UInt64(0)..<2 {
      for (index, size) in sizes.enumerated() {
        let shape = Shape(width: size.0, height: size.1, channels: channels)
        let input = TensorValues.seeded(shape, seed: round &* 100 &+ UInt64(index))
        let predictions = try network.predict(ordered: [input])
        for (name, expected) in zip(network.outputNames, try reference.run([input]).outputs) {
          let actual = try #require(predictions.outputs[name])
          #expect(actual.shape.elementCount == actual.values.count)
          expectClose(
            actual.values, expected, relativeL2: 2e-6, "\(name) of \(size.0)×\(size.1)",
            sourceLocation: sourceLocation)
        }
      }
    }
  }

  /// Released plans are made again; predictions stay the same, also while others run.
  @Test func releasedMemory() async throws {
    let model =
      Model() --> Resize(width: 12, height: 9)
      --> Convolution(kernel: (3, 3), channels: 17, activation: .relu) --> Dense(neurons: 5)
    let network = try model.compile(parameters: SeededParameters())
    let inputs = Self.sizes.enumerated().map { index, size in
      TensorValues.seeded(
        Shape(width: size.0, height: size.1, channels: 3), seed: UInt64(index))
    }
    let expected = try inputs.map { try network.predict($0).bits }
    let parameters = network.memory.packedParameters
    #expect(network.memory.plans > 0)
    network.releaseMemory()
    #expect(network.memory.plans == 0)
    #expect(network.memory.packedParameters == parameters)
    #expect(try inputs.map { try network.predict($0).bits } == expected)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (input, bits) in zip(inputs, expected) {
        group.addTask {
          try (0..<20).allSatisfy { _ in
            network.releaseMemory()
            return try network.predict(input).bits == bits
          }
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
    // The plan of a fixed size stays.
    let input = Input(width: 5, height: 7, channels: 3)
    let fixed = try Model(input: input, output: input --> Dense(neurons: 4))
      .compile(parameters: SeededParameters())
    let plans = fixed.memory.plans
    fixed.releaseMemory()
    #expect(fixed.memory.plans == plans && plans > 0)
  }

  @Test(arguments: [ResizeMode.nearest, .bilinear, .bilinearAntialiased])
  func resizeToFixedSize(_ mode: ResizeMode) throws {
    let model =
      Model() --> Resize(width: 12, height: 9, mode: mode)
      --> Convolution(kernel: (3, 3), channels: 17, activation: .relu)
      --> MaxPooling(kernel: (2, 2)) --> Dense(neurons: 5) --> Softmax()
    try expectAgreement(model)
  }

  @Test func singleChannel() throws {
    let model =
      Model(channels: 1) --> Resize(width: 7, height: 5) --> Dense(neurons: 4)
    try expectAgreement(model, channels: 1)
  }

  @Test func resizeAfterOtherLayers() throws {
    let model =
      Model() --> SubtractMeanColor(red: 0.5, green: 0.4, blue: 0.3) --> Scale(by: [2])
      --> SwapRedBlue() --> Resize(width: 6, height: 8) --> Grayscale() --> Dense(neurons: 3)
    try expectAgreement(model)
  }

  @Test func fullyConvolutionalNetwork() throws {
    let input = Input(channels: 3)
    let stem =
      input --> Convolution(kernel: (3, 3), channels: 16, stride: (2, 2))
      --> BatchNormalization() --> Activation(.relu)
    let wide = stem --> DepthwiseConvolution(kernel: (3, 3)) --> PointwiseConvolution(channels: 32)
    let joined = Concatenate([stem, wide, stem --> Convolution(kernel: (1, 3), channels: 5)])
    let pooled = joined --> MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same)
    let sum = [pooled, joined --> Activation(.tanh)] --> Add()
    let scores = sum --> UpSampling(mode: .bilinear) --> Convolution(kernel: (3, 3), channels: 2)
    let padded = scores --> ZeroPadding(2) --> Crop(top: 1, left: 3) --> Softmax()
    let whole = sum --> GlobalAveragePooling() --> Dense(neurons: 6)
    try expectAgreement(Model(inputs: [input], outputs: [padded, whole, scores]))
  }

  @Test func residualsAndBroadcastFactors() throws {
    let input = Input(channels: 8)
    let branch = input --> Convolution(kernel: (3, 3), channels: 8)
    let sum = [input, branch] --> Add() --> Activation(.relu)
    let factors = sum --> GlobalAveragePooling() --> Dense(neurons: 8, activation: .sigmoid)
    let model = Model(input: input, output: [sum, factors] --> Multiply())
    try expectAgreement(model, channels: 8)
  }

  @Test func severalInputs() throws {
    let left = Input(channels: 3, name: "left")
    let right = Input(width: 4, channels: 2, name: "right")
    let a = left --> Resize(width: 6, height: 5)
    let b = right --> Convolution(kernel: (3, 3), channels: 3) --> Resize(width: 6, height: 5)
    let model = Model(inputs: [left, right], outputs: [[a, b] --> Add()])
    let reference = try ReferenceModel(model)
    let network = try model.compile(parameters: SeededParameters())
    for (size, height) in [((3, 4), 9), ((11, 2), 1), ((3, 4), 2)] {
      let inputs = [
        TensorValues.seeded(Shape(width: size.0, height: size.1, channels: 3), seed: 1),
        TensorValues.seeded(Shape(width: 4, height: height, channels: 2), seed: 2),
      ]
      let expected = try reference.run(inputs).outputs[0]
      expectClose(try network.outputs(of: inputs)[0], expected, relativeL2: 1e-6)
    }
  }

  /// Fewer cached plans than sizes: plans are recreated with equal results.
  @Test func evictedPlansAreRecreated() throws {
    let model =
      Model() --> Convolution(kernel: (3, 3), channels: 4) --> Resize(width: 3, height: 4)
    try expectAgreement(model, planCacheSize: 1)
    try expectAgreement(model, planCacheSize: 3)
  }

  /// The number of plans made, counted in a layer's shape rule.
  @Test func planCacheIsBounded() throws {
    let made = Counter()
    let input = Input(channels: 1)
    let counted = Custom(
      shape: { shapes in
        made.add()
        return shapes[0]
      },
      body: { inputs, output in _ = output.update(fromContentsOf: inputs[0]) })
    let model = Model(input: input, output: input --> counted --> GlobalMaxPooling())
    let network = try model.compile(options: CompileOptions(planCacheSize: 2))
    func plansMade(_ widths: Int...) throws -> Int {
      let before = made.count
      for width in widths {
        let values = Array(repeating: Float(width), count: width)
        let input = TensorValues(width: width, height: 1, channels: 1, values: values)
        #expect(try network.predict(input) == [Float(width)])
      }
      return made.count - before
    }
    let one = try plansMade(1)
    #expect(one > 0)
    #expect(try plansMade(1, 1, 1) == 0)
    #expect(try plansMade(2, 1, 2, 1, 2) == one)
    // Made first, but used last: 3 takes the place of 2.
    #expect(try plansMade(1, 3) == one)
    #expect(try plansMade(1, 3, 1) == 0)
    #expect(try plansMade(2) == one)
    // Now 3 is gone, which was used before 1.
    #expect(try plansMade(1, 2) == 0)
    #expect(try plansMade(3) == one)
  }

  /// Contexts outlive the cache: each keeps its own plan.
  @Test func contextsRetainTheirPlans() throws {
    let model =
      Model() --> Resize(width: 5, height: 6) --> Convolution(kernel: (3, 3), channels: 3)
    let reference = try ReferenceModel(model)
    let network = try model.compile(
      parameters: SeededParameters(),
      options: CompileOptions(disabledRewrites: ["winograd"], planCacheSize: 1))
    let shapes = Self.sizes.map { Shape(width: $0.0, height: $0.1, channels: 3) }
    let contexts = try shapes.map { try Context(network, batch: 2, inputShapes: ["input": $0]) }
    for round in UInt64(0)..<2 {
      for (context, shape) in zip(contexts, shapes) {
        let examples = (0..<2).map { [TensorValues.seeded(shape, seed: round &+ $0)] }
        for (example, result) in zip(examples, try context.predict(examples)) {
          expectClose(result[0], try reference.run(example).outputs[0], relativeL2: 1e-6)
        }
      }
    }
    let sizes = try shapes.map { try network.workspaceSize(inputShapes: ["input": $0]) }
    #expect(Set(sizes).count == sizes.count)
  }

  @Test func concurrentPredictions() async throws {
    let model =
      Model() --> Convolution(kernel: (3, 3), channels: 16, activation: .relu)
      --> Resize(width: 4, height: 4)
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(planCacheSize: 2))
    let inputs = Self.sizes.map {
      TensorValues.seeded(Shape(width: $0.0, height: $0.1, channels: 3), seed: 9)
    }
    let expected = try inputs.map { try network.predict($0).bits }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          (0..<24).count { step in
            let index = (step * 5 + task) % inputs.count
            return (try? network.predict(inputs[index]))?.bits != expected[index]
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  @Test func reportBeforeSizeIsKnown() throws {
    let model = Model() --> Resize(width: 4, height: 4) --> Dense(neurons: 2, name: "fc")
    let network = try model.compile(parameters: SeededParameters())
    #expect(network.report.steps.isEmpty)
    #expect(network.report.arenaBytes == 0)
    #expect(network.inputShapes == [Shape(width: nil, height: nil, channels: 3)])
    #expect(network.summary() == model.summary())
  }

  /// Verification chooses its own sample size.
  @Test func verificationChoosesSampleSize() throws {
    let model =
      Model() --> Convolution(kernel: (5, 5), channels: 4, stride: (2, 2))
      --> BatchNormalization() --> Resize(width: 4, height: 4)
    let network = try model.compile(
      parameters: SeededParameters(),
      options: CompileOptions(verify: .samples(2), accuracy: 1e-6))
    #expect(network.report.verification?.errors.count == 1)
  }
}
