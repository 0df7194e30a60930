import Forge
import ForgeTestSupport
import Testing

/// 2×2 maximum poolings fused into the convolution before them.
@Suite struct FusePoolingTests {
  /// Two convolutions, the first of a plain image, the second large enough for Winograd's algorithm.
  private func model(
    _ width: Int, _ height: Int, padding: Padding = .valid,
    activation: ActivationFunction = .relu, after: ActivationFunction = .linear
  ) -> Model {
    let input = Input(width: width, height: height, channels: 3)
    let pooled =
      input --> Convolution(kernel: (3, 3), channels: 48, activation: activation, name: "first")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2), padding: padding, name: "firstPool")
    let applied = after == .linear ? pooled : pooled --> Activation(after, name: "after")
    let output =
      applied
      --> Convolution(kernel: (3, 3), channels: 40, activation: activation, name: "second")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2), padding: padding, name: "secondPool")
    return Model(input: input, output: output)
  }

  /// The steps that are convolutions or poolings, without their numbers.
  private func steps(_ model: Model, _ options: CompileOptions) throws -> [String] {
    try model.compile(parameters: SeededParameters(), options: options).report.steps
      .filter { $0.kernel != "winograd input" }.map { step in
        let words = step.kernel.split(separator: " ")
        return String(words[0]) + (words.last == "pooled" ? " pooled" : "")
      }.filter { !["clearHalo", "block", "unblock", "activation"].contains($0) }
  }

  private func bits(_ model: Model, _ options: CompileOptions) throws -> Bits {
    let inputs = try ReferenceModel(model).inputs(seed: 3)
    return try model.compile(parameters: SeededParameters(), options: options)
      .outputs(of: inputs)[0].bits
  }

  private static let vectors = CompileOptions.InstructionSet.present.filter { $0 != .scalar }

  /// There are fewer steps, and the bits are equal.
  @Test(arguments: vectors)
  func fusionPreservesBitsForAllSizes(_ level: CompileOptions.InstructionSet) throws {
    // Sizes on which tiles that cannot pool, of five or three pixels, would not be faster.
    for (width, height) in [(32, 32), (23, 32), (24, 22), (15, 32)] {
      for padding in [Padding.valid, .same] {
        let model = model(width, height, padding: padding)
        let with = CompileOptions(instructionSet: level)
        let without = CompileOptions(disabledRewrites: ["fusePooling"], instructionSet: level)
        #expect(try steps(model, with) == ["plain pooled", "winograd pooled"])
        #expect(try steps(model, without) == ["plain", "pooling", "winograd", "pooling"])
        #expect(
          try bits(model, with) == bits(model, without), "\(level), \(width)×\(height), \(padding)")
        try expectAgreement(model, options: with, relativeL2: 5e-6)
      }
    }
  }

  @Test func fusionOnSmallImages() throws {
    for (width, height) in [(2, 2), (3, 2), (2, 5), (5, 5), (7, 3)] {
      for padding in [Padding.valid, .same] {
        let input = Input(width: width, height: height, channels: 3)
        let model = Model(
          input: input,
          output: input --> Convolution(kernel: (3, 3), channels: 17)
            --> MaxPooling(kernel: (2, 2), padding: padding) --> Dense(neurons: 3))
        #expect(try steps(model, CompileOptions()) == ["plain pooled", "convolution"])
        #expect(
          try bits(model, CompileOptions())
            == bits(model, CompileOptions(disabledRewrites: ["fusePooling"])))
        try expectAgreement(model)
      }
    }
  }

  /// Kept convolutions have their values, and output bits do not change.
  @Test func fusionWithKeptConvolutions() throws {
    for padding in [Padding.valid, .same] {
      let model = model(45, 47, padding: padding)
      let reference = try ReferenceModel(model)
      let inputs = reference.inputs(seed: 3)
      let expected = try reference.run(
        inputs, layers: ["first", "second", "firstPool", "secondPool"]
      ).layers
      let bits = try bits(model, CompileOptions())
      for names in [["first"], ["second"], ["first", "second"], ["firstPool", "secondPool"]] {
        let options = CompileOptions(keep: names)
        let network = try model.compile(parameters: SeededParameters(), options: options)
        let predictions = try network.predict(ordered: inputs)
        #expect(predictions.outputs[network.outputNames[0]]?.values.bits == bits, "\(names)")
        for name in names {
          expectClose(
            try #require(predictions.kept[name]?.values), try #require(expected[name]),
            relativeL2: 5e-6, "\(name)")
        }
      }
    }
  }

  /// A convolution with other consumers must be stored completely.
  @Test func fusionSkipsSharedConvolutions() throws {
    let input = Input(width: 20, height: 20, channels: 3)
    let conv = input --> Convolution(kernel: (3, 3), channels: 16)
    let pooled = conv --> MaxPooling(kernel: (2, 2))
    let second = conv --> MaxPooling(kernel: (2, 2), padding: .same)
    for outputs in [[pooled, conv], [pooled, second], [pooled, conv --> GlobalAveragePooling()]] {
      let model = Model(inputs: [input], outputs: outputs)
      #expect(try steps(model, CompileOptions()).first == "plain")
      try expectAgreement(model)
    }
  }

  @Test func fusionWithMonotonicActivations() throws {
    for function in [
      ActivationFunction.linear, .relu, .relu6, .leakyReLU(slope: 0.1), .leakyReLU(slope: 2),
      .clipped(minimum: -0.5, maximum: 0.5),
    ] {
      let model = model(44, 44, activation: function)
      #expect(try steps(model, CompileOptions()).first == "plain pooled", "\(function)")
      #expect(
        try bits(model, CompileOptions())
          == bits(model, CompileOptions(disabledRewrites: ["fusePooling"])), "\(function)")
      try expectAgreement(model, relativeL2: 5e-6)
    }
  }

  /// The largest sum need not give the largest result, or not the same bits after rounding.
  @Test func fusionSkipsNonMonotonicActivations() throws {
    for function in [
      ActivationFunction.leakyReLU(slope: -0.5), .sigmoid, .tanh, .swish, .gelu, .mish,
      .elu(alpha: 1), .softplus, .hardSwish,
    ] {
      let model = model(44, 44, activation: function)
      #expect(
        try steps(model, CompileOptions()).filter { $0.hasSuffix("pooled") }.isEmpty, "\(function)")
      try expectAgreement(model, relativeL2: 5e-6)
    }
  }

  /// Any activation after the pooling is fused; a second one is not.
  @Test func fusionOfActivationAfterPooling() throws {
    let falling = model(44, 44, activation: .linear, after: .swish)
    #expect(try steps(falling, CompileOptions()).first == "plain pooled")
    try expectAgreement(falling, relativeL2: 5e-6)
    let two = model(44, 44, activation: .relu, after: .tanh)
    #expect(try steps(two, CompileOptions()).first == "plain")
    try expectAgreement(two, relativeL2: 5e-6)
  }

  /// Zeros keep their sign: black pixels give sums of exactly 0.
  @Test func fusionPreservesSignedZeros() throws {
    let model = model(44, 44, activation: .leakyReLU(slope: 0))
    let values = seededValues(count: 44 * 44 * 3, seed: 2).enumerated().map {
      $0.offset / 44 % 5 < 3 ? 0 : $0.element
    }
    let parameters = NoBias()
    let made = try [[], ["fusePooling"]].map { disabled in
      try model.compile(
        parameters: parameters, options: CompileOptions(disabledRewrites: Set(disabled))
      ).predict(values).bits
    }
    #expect(made[0] == made[1])
  }

  @Test func fusionSkipsOtherPoolings() throws {
    let input = Input(width: 21, height: 20, channels: 3)
    let conv = input --> Convolution(kernel: (3, 3), channels: 16)
    for pooled in [
      conv --> MaxPooling(kernel: (3, 3), stride: (2, 2)),
      conv --> MaxPooling(kernel: (2, 2), stride: (1, 1)),
      conv --> MaxPooling(kernel: (2, 2), stride: (2, 1)),
      conv --> MaxPooling(kernel: (2, 1), stride: (2, 2)),
      conv --> AveragePooling(kernel: (2, 2), stride: (2, 2)),
      conv
        --> MaxPooling(
          kernel: (2, 2), stride: (2, 2), padding: .explicit(top: 1, left: 0, bottom: 0, right: 0)),
      conv
        --> MaxPooling(
          kernel: (2, 2), stride: (2, 2), padding: .explicit(top: 0, left: 1, bottom: 1, right: 0)),
      conv --> GlobalMaxPooling(),
    ] {
      let model = Model(input: input, output: pooled)
      let steps = try steps(model, CompileOptions())
      #expect(steps.count == 2 && steps[0] == "plain")
      try expectAgreement(model)
    }
    // A border below and on the right cuts windows, as with padding .same.
    let edges = Model(
      input: input,
      output: conv
        --> MaxPooling(
          kernel: (2, 2), stride: (2, 2), padding: .explicit(top: 0, left: 0, bottom: 1, right: 1)))
    #expect(try steps(edges, CompileOptions()) == ["plain pooled"])
    try expectAgreement(edges)
  }
}

/// Seeded weights, biases of 0.
private struct NoBias: ParameterSource {
  var goesByName: Bool { false }

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    let values = SeededParameters().values(for: spec)
    return StoredValues(spec.type == .biases ? values.map { _ in 0 } : values)
  }
}
