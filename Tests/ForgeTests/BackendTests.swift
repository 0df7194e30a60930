import Forge
import ForgeModels
import ForgeTestSupport
import Testing

/// Networks on a second back end that implements the same protocol as the CPU.
@Suite struct BackendTests {
  /// Compiles for the second back end and for the processor.
  private func compile(
    _ model: Model, keep: [String] = [], maximumBatch: Int = 64,
    checks: CompileOptions.Checks = .none
  ) throws -> (reference: CompiledModel, cpu: CompiledModel) {
    let options = CompileOptions(
      backend: ReferenceBackend(), maximumBatch: maximumBatch, keep: keep, checks: checks)
    return (
      try model.compile(parameters: SeededParameters(), options: options),
      try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(maximumBatch: maximumBatch, keep: keep, checks: checks))
    )
  }

  @Test func leNetWithKeptLayers() throws {
    let keep = ["conv1", "fc1"]
    let (reference, cpu) = try compile(.leNet(), keep: keep)
    let input = TensorValues.seeded(Shape(width: 28, height: 28, channels: 1), seed: 3)
    let name = reference.inputNames[0]
    let (expected, actual) = (try cpu.predict([name: input]), try reference.predict([name: input]))
    for (output, values) in expected.outputs {
      expectClose(
        try #require(actual.outputs[output]?.values), values.values,
        relativeL2: 1e-5)
    }
    #expect(Set(actual.kept.keys) == Set(keep))
    for (layer, values) in expected.kept {
      let kept = try #require(actual.kept[layer])
      #expect(kept.shape == values.shape)
      expectClose(kept.values, values.values, relativeL2: 1e-5, layer)
    }
  }

  @Test func mobileNetWithKeptLayersAndBatch() async throws {
    let keep = ["conv_dw_6", "conv_pw_13"]
    let (reference, cpu) = try compile(
      .mobileNetV1(alpha: 0.25, size: 96, head: .logits), keep: keep, maximumBatch: 2)
    let values = seededValues(count: 2 * 96 * 96 * 3, seed: 5)
    let batch = try reference.predict(values, batch: 2)
    expectClose(batch, try cpu.predict(values, batch: 2), relativeL2: 1e-5)
    let images = [Array(values[..<(96 * 96 * 3)]), Array(values[(96 * 96 * 3)...])]
    #expect(try reference.predict(batch: images).flatMap(\.self) == batch)
    let runner = try Runner(reference, inflightBuffers: 2)
    let first = try await runner.predict(images[0])
    #expect(first == Array(batch[..<first.count]))
  }

  @Test func runnerPreservesOrder() async throws {
    let (reference, _) = try compile(.leNet())
    let images = (0..<9).map { seededValues(count: 28 * 28, seed: UInt64($0 + 1)) }
    let expected = try images.map { try reference.predict($0) }
    let runner = try Runner(reference, inflightBuffers: 3)
    var streamed: [[Float]] = []
    for try await result in try runner.predictions(of: images) {
      streamed.append(result.prediction)
    }
    #expect(streamed == expected)
  }

  @Test func contextInCallerMemory() throws {
    let (reference, _) = try compile(.leNet(), keep: ["conv1"], maximumBatch: 3)
    let size = try reference.workspaceSize(batch: 3)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    defer { memory.deallocate() }
    let context = try Context(reference, batch: 3, workspace: memory)
    let values = seededValues(count: 3 * 28 * 28, seed: 8)
    context.withInput(0) { input in
      for index in values.indices { input[index] = values[index] }
    }
    try context.predict(batch: 3)
    let expected = try reference.predict(values, batch: 3)
    context.withOutput(0) { output in
      #expect(output.indices.map { output[$0] } == expected)
    }
  }

  @Test func variableSizesAndCrops() throws {
    let input = Input(width: nil, height: nil, channels: 3)
    let output =
      input --> Resize(width: 7, height: 8, name: "resize")
      --> Convolution(kernel: (3, 3), channels: 5, name: "conv")
    let (reference, cpu) = try compile(Model(input: input, output: output))
    for (width, height) in [(11, 9), (5, 13), (11, 9)] {
      let image = TensorValues.seeded(
        Shape(width: width, height: height, channels: 3), seed: UInt64(width))
      let crops = ["resize": CropRectangle(x: 1, y: 2.5, width: 3.5, height: 4)]
      for crops in [crops, [:]] {
        let expected = try cpu.predict(image, crops: crops)
        expectClose(try reference.predict(image, crops: crops), expected, relativeL2: 1e-5)
      }
    }
  }

  @Test func verificationOnSecondBackend() throws {
    let network = try Model.leNet().compile(
      parameters: SeededParameters(),
      options: CompileOptions(backend: ReferenceBackend(), verify: .samples(2)))
    let verification = try #require(network.report.verification)
    // Outputs are rounded to Float32.
    #expect(verification.errors.allSatisfy { $0.relativeL2 < 1e-7 })
    #expect(network.report.instructionSet == "reference")
    #expect(network.report.steps.contains { $0.kernel == "reference dense" })
    #expect(try network.profile(runs: 1).count == network.report.steps.count)
  }

  @Test func errorsNameTheLayer() throws {
    struct Stop: Error {}
    let input = Input(width: 3, height: 2, channels: 1)
    let output =
      input
      --> Custom(shape: { $0[0] }, name: "failing") { _, _ in throw Stop() }
    let network = try Model(input: input, output: output).compile(
      options: CompileOptions(backend: ReferenceBackend()))
    let error = #expect(throws: PredictionError.self) {
      try network.predict([Float](repeating: 1, count: 6))
    }
    #expect(error?.kind == .customLayer)
    #expect("\(try #require(error))".contains("\"failing\""))
  }

  @Test func nonFiniteOutputsAreReported() throws {
    let (reference, _) = try compile(.leNet(), checks: .finiteOutputs)
    var values = seededValues(count: 28 * 28, seed: 4)
    values[17] = .nan
    let error = #expect(throws: PredictionError.self) { try reference.predict(values) }
    #expect(error?.kind == .notFinite)
    #expect("\(try #require(error))".contains("index 17"))
  }

  @Test func unsupportedFeaturesAreErrors() throws {
    let (reference, _) = try compile(.leNet())
    #expect(throws: PredictionError.self) { _ = try RealtimeContext(reference) }
    var options = CompileOptions(backend: ReferenceBackend())
    options.precision = .int8
    let error = #expect(throws: CompileError.self) {
      try Model.leNet().compile(parameters: SeededParameters(), options: options)
    }
    #expect("\(try #require(error))".contains("the option precision is out of range"))
    // The processor's rewrites are unknown to it.
    options = CompileOptions(backend: ReferenceBackend())
    options.disabledRewrites = ["winograd"]
    #expect(throws: CompileError.self) {
      try Model.leNet().compile(parameters: SeededParameters(), options: options)
    }
  }
}
