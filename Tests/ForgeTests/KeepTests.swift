import Forge
import ForgeTestSupport
import Testing

/// `keep` makes layers readable and changes nothing else.
@Suite struct KeepTests {
  /// Compiles with and without `keep`; expects equal bits of outputs and right values of kept layers.
  private func expectKept(
    _ model: Model, _ names: [String], seed: UInt64 = 5, relativeL2: Double = 1e-6,
    _ comment: String = ""
  ) throws {
    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: seed)
    let parameters = SeededParameters(seed: seed)
    let expected = try reference.run(inputs, layers: names, parameters: parameters).layers
    let plain = try model.compile(parameters: parameters)
    let keeping = try model.compile(
      parameters: parameters, options: CompileOptions(keep: names))
    let before = try plain.predict(ordered: inputs)
    let after = try keeping.predict(ordered: inputs)

    #expect(plain.outputNames + names == keeping.outputNames)
    #expect(before.kept.isEmpty)
    #expect(Set(after.kept.keys) == Set(names), "\(comment)")
    #expect(Set(after.outputs.keys) == Set(before.outputs.keys))
    for (name, values) in before.outputs {
      #expect(after.outputs[name]?.values.bits == values.values.bits, "\(comment), \(name)")
    }
    for name in names {
      let kept = try #require(after.kept[name]?.values)
      expectClose(
        kept, try #require(expected[name]), relativeL2: relativeL2, "\(comment), kept \(name)")
    }
  }

  @Test func convolutionWithFoldedNormalization() throws {
    let input = Input(width: 7, height: 5, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 17, name: "conv")
      --> BatchNormalization(name: "norm") --> Activation(.relu, name: "relu")
    let model = Model(input: input, output: output)
    for names in [["conv"], ["norm"], ["relu"], ["conv", "norm", "relu"], ["relu", "conv"]] {
      try expectKept(model, names)
    }
  }

  @Test func fusedActivation() throws {
    let input = Input(width: 7, height: 5, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 5, activation: .tanh, name: "conv")
      --> MaxPooling(kernel: (2, 2), name: "pool") --> Activation(.sigmoid, name: "sigmoid")
      --> Dense(neurons: 7, activation: .softplus, name: "fc")
    try expectKept(Model(input: input, output: output), ["conv", "pool", "sigmoid", "fc"])
  }

  @Test func concatenationInputsAndOutputs() throws {
    let input = Input(width: 6, height: 5, channels: 4)
    let left = input --> Convolution(kernel: (3, 3), channels: 16, name: "left")
    let right =
      input --> Convolution(kernel: (1, 1), channels: 32, activation: .relu, name: "right")
    let inner = [left, right] --> ForgeLayers.Concatenate(name: "inner")
    let more = inner --> Convolution(kernel: (3, 3), channels: 5, name: "more")
    let outer = Concatenate([inner, more], name: "outer")
    let output = outer --> Convolution(kernel: (3, 3), channels: 2, name: "last")
    let model = Model(input: input, output: output)
    try expectKept(model, ["left"])
    try expectKept(model, ["inner", "right"])
    try expectKept(model, ["outer", "more", "left", "right", "inner"])
  }

  @Test func residualsAndSums() throws {
    let input = Input(width: 6, height: 5, channels: 20)
    let branch =
      input --> Convolution(kernel: (3, 3), channels: 20, name: "branch")
      --> BatchNormalization(name: "norm")
    let output = [input, branch] --> Add(name: "sum") --> Activation(.relu, name: "relu")
    try expectKept(Model(input: input, output: output), ["branch", "norm", "sum", "relu"])
  }

  @Test func eliminatedLayers() throws {
    let input = Input(width: 6, height: 5, channels: 3)
    let constant = Constant([0.5, -0.25, 1.5], name: "constant")
    let folded = constant --> Activation(.softplus, name: "folded")
    let sum = [input --> Dropout(rate: 0.5, name: "drop"), folded] --> Add(name: "sum")
    let cut = sum --> Activation(.tanh, name: "tanh") --> Crop(top: 1, left: 2, name: "crop")
    let output =
      cut --> ZeroPadding(1, name: "pad")
      --> Convolution(kernel: (3, 3), channels: 4, padding: .valid, name: "conv")
      --> Flatten(name: "flat") --> Dense(neurons: 6, name: "fc")
    let names = [
      "constant", "folded", "drop", "sum", "tanh", "crop", "pad", "conv", "flat", "fc",
    ]
    let model = Model(input: input, output: output)
    try expectKept(model, names)
    for name in names { try expectKept(model, [name]) }
  }

  @Test func outputsInputsNeighborsAndGeneratedNames() throws {
    let input = Input(width: 6, height: 5, channels: 3)
    let first = input --> Dropout(rate: 0.1, name: "alias")
    let pooled = first --> MaxPooling(kernel: (2, 2))
    let model = Model(inputs: [input], outputs: [pooled, first])
    // A kept layer may be an output as well, and hold the input itself.
    try expectKept(model, ["alias", "__MaxPool_2__"])
  }

  @Test func batchedExamples() throws {
    let input = Input(width: 4, height: 3, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 6, name: "conv")
      --> BatchNormalization(name: "norm")
    let model = Model(input: input, output: output)
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(keep: ["conv"]))
    let reference = try ReferenceModel(model)
    let examples = (0..<3).map { reference.inputs(seed: 70 + $0) }
    let results = try Context(network, batch: 3).predict(examples)
    for (example, result) in zip(examples, results) {
      let expected = try reference.run(example, layers: ["conv"])
      expectClose(result[0], expected.outputs[0], relativeL2: 1e-6)
      expectClose(result[1], try #require(expected.layers["conv"]), relativeL2: 1e-6)
    }
  }

  /// Some layers of each network, then all of them.
  @Test(arguments: 0..<4)
  func randomNetworks(_ part: Int) throws {
    for seed in UInt64(part * 20)..<UInt64((part + 1) * 20) {
      let model = RandomNetwork(seed: seed).model
      // A name stands for its first layer where layers share it.
      let names = Set(try ReferenceModel(model).layerNames).sorted()
      var random = SplitMix64(seed: seed)
      let some = names.filter { _ in random.chance(30) }.shuffled(using: &random)
      try expectKept(model, some, seed: seed, relativeL2: 1e-5, "seed \(seed), some")
      try expectKept(model, names, seed: seed, relativeL2: 1e-5, "seed \(seed), all")
    }
  }
}
