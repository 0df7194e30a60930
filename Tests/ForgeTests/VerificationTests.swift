import Forge
import ForgeTestSupport
import Testing

/// The comparison with the reference executor that `verify` asks for.
@Suite struct VerificationTests {
  private func network() -> Model {
    let input = Input(width: 9, height: 7, channels: 3)
    let first =
      input --> Convolution(kernel: (3, 3), channels: 8, name: "conv")
      --> BatchNormalization(name: "norm") --> Activation(.relu, name: "relu")
    let output = first --> Dense(neurons: 6, name: "fc") --> Softmax(name: "softmax")
    return Model(inputs: [input], outputs: [output, first])
  }

  @Test func correctNetworksPass() throws {
    let network = try network().compile(
      parameters: SeededParameters(),
      options: CompileOptions(keep: ["conv"], verify: .samples(3), accuracy: 1e-6))
    let verification = try #require(network.report.verification)
    #expect(verification.samples == 3)
    #expect(verification.bound == 1e-6)
    #expect(verification.errors.map(\.output) == ["softmax", "relu", "conv"])
    for error in verification.errors {
      #expect(error.relativeL2 > 0)
      #expect(error.relativeL2 <= 1e-6)
      #expect(error.maximum > 0)
      #expect(error.maximum < 1e-5)
    }
  }

  @Test func disabledVerificationReportsNothing() throws {
    let network = try network().compile(parameters: SeededParameters())
    #expect(network.report.verification == nil)
  }

  @Test func seedDeterminesSamples() throws {
    let errors = try [1, 1, 2].map { seed in
      try network().compile(
        parameters: SeededParameters(),
        options: CompileOptions(verify: .samples(1, seed: seed))
      ).report.verification?.errors.map(\.relativeL2)
    }
    #expect(errors[0] == errors[1])
    #expect(errors[0] != errors[2])
  }

  /// A bound beyond single precision fails, and the first layer that differs is named.
  @Test func unattainableBoundNamesFirstLayer() throws {
    let error = #expect(throws: CompileError.self) {
      try network().compile(
        parameters: SeededParameters(),
        options: CompileOptions(verify: .samples(2), accuracy: 1e-12))
    }
    let problem = try #require(error?.problems.first)
    #expect(problem.headline == "the compiled plan differs from the reference executor")
    let details = Dictionary(
      problem.details.map { ($0.label, $0.text) }, uniquingKeysWith: { a, _ in a })
    #expect(details["received"]?.hasPrefix("relative L2 error ") == true)
    #expect(details["received"]?.hasSuffix(" of output \"softmax\"") == true)
    #expect(details["needs"] == "at most 1e-12")
    #expect(details["first at"] == "layer \"conv\"")
    #expect(details["rewrite"] == "none is the cause")
  }

  /// With a bound between the errors with and without a rewrite, that rewrite is named.
  @Test func faultyRewriteIsNamed() throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let model = Model(
      input: input,
      output: input --> Convolution(kernel: (3, 3), channels: 8, name: "conv")
        --> BatchNormalization(name: "norm"))
    func options(_ disabled: Set<String>, accuracy: Double = 1) -> CompileOptions {
      CompileOptions(
        verify: .samples(1), accuracy: accuracy, disabledRewrites: disabled,
        instructionSet: .scalar)
    }
    func error(_ parameters: SeededParameters, without disabled: Set<String>) throws -> Double {
      let report = try model.compile(parameters: parameters, options: options(disabled)).report
      return try #require(report.verification?.errors.first?.checked)
    }
    // Folding rounds the weights once more, which makes some networks a little worse, others better.
    for seed in UInt64(0)..<50 {
      let parameters = SeededParameters(seed: seed)
      let folded = try error(parameters, without: [])
      let apart = try error(parameters, without: ["foldBatchNormalization"])
      guard folded > 1.1 * apart else { continue }
      var failure: CompileError?
      do {
        _ = try model.compile(
          parameters: parameters, options: options([], accuracy: (folded + apart) / 2))
      } catch { failure = error }
      // Some such errors are those of Float32 itself.
      guard let details = failure?.problems.first?.details else { continue }
      #expect(details.contains { $0.label == "first at" && $0.text == "layer \"norm\"" })
      #expect(
        details.last?.text == "foldBatchNormalization: without it the error is in bounds")
      return
    }
    Issue.record("folding made no network worse")
  }

  /// The layers before the inexact one are exact.
  @Test func firstLayerOutOfBoundsIsNamed() throws {
    let input = Input(width: 5, height: 4, channels: 2)
    let output =
      input --> MaxPooling(kernel: (2, 2), name: "exact")
      --> Multiply(constant: [2], name: "double") --> Activation(.gelu, name: "gelu")
      --> Activation(.mish, name: "mish")
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(verify: .samples(1), accuracy: 1e-12))
    }
    #expect(
      error?.problems.first?.details.contains {
        $0.label == "first at" && $0.text == "layer \"gelu\""
      } == true)
  }

  /// A custom layer whose result differs with each call.
  @Test func nondeterministicLayerFails() throws {
    let calls = Locked(0)
    let input = Input(width: 5, height: 4, channels: 2)
    let output =
      input --> Activation(.relu, name: "relu")
      --> Custom(shape: { $0[0] }, name: "fickle") { inputs, output in
        let offset = calls.withLock { calls in
          calls += 1
          return Float(calls)
        }
        for index in output.indices { output[index] = inputs[0][index] + offset }
      } --> Softmax(name: "softmax")
    let error = #expect(throws: CompileError.self) {
      try Model(inputs: [input], outputs: [output, output --> Multiply(constant: [1])]).compile(
        options: CompileOptions(keep: ["fickle"], verify: .samples(1)))
    }
    #expect(
      error?.problems.first?.details.contains {
        $0.label == "first at" && $0.text == "layer \"fickle\""
      } == true)
  }

  /// NaN in both results is not agreement, and the parameters that hold it are named.
  @Test func nanFails() throws {
    let input = Input(width: 2, height: 2, channels: 2)
    let output = input --> Convolution(kernel: (1, 1), channels: 2, name: "conv")
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(verify: .samples(1))
      ) { _, count, _ in StoredValues(Array(repeating: .nan, count: count)) }
    }
    #expect(
      error?.problems.first?.headline == "the weights hold a number that is not finite")
    #expect(
      error?.problems.first?.details.map(\.text) == [
        "nan at index 0 of 2×1×1×2 [O][H][W][I] from memory",
        "finite numbers, because verify compares results",
      ])
  }

  /// The bound is relative to the terms of a sum, not to what remains after cancellation.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func cancellationLoosensBound(_ set: CompileOptions.InstructionSet) throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let features = input --> Convolution(kernel: (3, 3), channels: 64, name: "conv")
    // Each neuron's weights are those of another, negative, but for a millionth; the last one's sum to exactly nothing.
    let output =
      [features, features] --> Concatenate() --> Dense(neurons: 3, name: "neurons")
    let half = 20 * 64
    let network = try Model(input: input, output: output).compile(
      options: CompileOptions(verify: .samples(3), instructionSet: set)
    ) { name, count, type in
      guard name == "neurons" else {
        return StoredValues(seededValues(count: count, seed: 5))
      }
      guard type == .weights else { return StoredValues([Float](repeating: 0, count: count)) }
      var values = seededValues(count: count, seed: 6)
      for neuron in 0..<3 {
        for pixel in 0..<20 {
          for channel in 0..<64 {
            let at = neuron * 2 * half + pixel * 128 + channel
            values[at + 64] = -values[at] * (neuron == 2 ? 1 : 1 + 1e-6)
          }
        }
      }
      return StoredValues(values)
    }
    let error = try #require(network.report.verification?.errors.first)
    #expect(error.checked <= 1e-5)
    // A relative bound alone would fail.
    #expect(error.relativeL2 > 1e-5)
  }

  /// Sums that are exactly 0 in double precision leave rounding errors in a plan.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func cancellationToZero(_ set: CompileOptions.InstructionSet) throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let features = input --> Convolution(kernel: (3, 3), channels: 64, name: "conv")
    let output = [features, features] --> Concatenate() --> Dense(neurons: 1, name: "neuron")
    let network = try Model(input: input, output: output).compile(
      options: CompileOptions(verify: .samples(3), instructionSet: set)
    ) { name, count, type in
      guard name == "neuron" else {
        return StoredValues(seededValues(count: count, seed: 5))
      }
      guard type == .weights else { return StoredValues([0]) }
      var values = seededValues(count: count, seed: 6)
      for at in values.indices where at % 128 >= 64 { values[at] = -values[at - 64] }
      return StoredValues(values)
    }
    let error = try #require(network.report.verification?.errors.first)
    #expect(error.checked <= 1e-5)
    #expect(error.relativeL2 > 1e-5)
  }

  /// The error floor does not hide a wrong layer: a thousandth of the weights' size is far above
  /// it.
  @Test func wrongNeuronAmongCancellingOnesFails() throws {
    let calls = Locked(0)
    let input = Input(width: 1, height: 1, channels: 256)
    let output =
      input --> Dense(neurons: 4, name: "neurons")
      --> Custom(
        shape: { $0[0] },
        body: { inputs, output in
          let isPlan = calls.withLock { calls in
            calls += 1
            return calls == 1
          }
          for index in output.indices { output[index] = inputs[0][index] * (isPlan ? 1.001 : 1) }
        })
    #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(verify: .samples(1))
      ) { _, count, type in StoredValues(seededValues(count: count, seed: type == .weights ? 1 : 2))
      }
    }
  }

  /// An output that is exactly 0, after a ReLU of negative values, is compared as any other.
  @Test func allZeroOutput() throws {
    let input = Input(width: 3, height: 3, channels: 2)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 4, activation: .relu, name: "conv")
    let network = try Model(input: input, output: output).compile(
      options: CompileOptions(verify: .samples(2))
    ) { _, count, type in
      StoredValues(
        type == .weights
          ? seededValues(count: count, seed: 3) : [Float](repeating: -1e9, count: count))
    }
    #expect(network.report.verification?.errors.map(\.checked) == [0])
  }

  @Test func instructionSetsPassVerification() throws {
    for set in CompileOptions.InstructionSet.present {
      let network = try network().compile(
        parameters: SeededParameters(),
        options: CompileOptions(verify: .samples(2), accuracy: 1e-6, instructionSet: set))
      #expect(network.report.instructionSet == set.rawValue)
      #expect(network.report.verification != nil)
    }
  }

  /// Verification reports that its sample size does not fit a network of variable size.
  @Test func unsupportedSampleSize() throws {
    let input = Input(channels: 1)
    let output =
      input
      --> Crop(
        top: 60, left: 60, bottom: 60, name: "cut", fileID: "App/Net.swift", line: 2, column: 3)
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(verify: .samples(1)))
    }
    #expect(
      error?.description == """
        App/Net.swift:2:3: layer 1 "cut" (Crop): the output would be empty
          received  67×61×1 (width×height×channels) from "input"
          needs     width above 60 and height above 120 to cut top 60, left 60, bottom 60, right 0
        """)
  }

  @Test func throwingCustomLayer() throws {
    struct Bad: Error, CustomStringConvertible { var description: String { "never" } }
    let input = Input(width: 2, height: 2, channels: 2)
    let output = input --> Custom(shape: { $0[0] }, body: { _, _ in throw Bad() })
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(verify: .samples(1)))
    }
    #expect(error?.problems.first?.headline == "the plan could not be verified")
  }

  /// Random inputs outside of a function's domain are not a mistake of the plan.
  @Test func numbersThatAreNotFinite() throws {
    let input = Input(width: 9, height: 7, channels: 3)
    let output = input --> Convolution(kernel: (3, 3), channels: 8) --> Unary(.logarithm)
    let model = Model(inputs: [input], outputs: [output, input --> Divide(by: [0])])
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(verify: .samples(2)))
    for error in try #require(network.report.verification).errors {
      #expect(error.relativeL2 <= 1e-6 && error.checked <= 1e-5)
    }
  }
}
