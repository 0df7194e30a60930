import Forge
import ForgeTestSupport
import Testing

/// Changed models against the layers that the unchanged model keeps: the same bits where the same
/// kernels run, else the same numbers, because what is folded and fused may be another part.
@Suite struct SurgeryTests {
  static let values = seededValues(count: 13 * 11 * 3, seed: 4)

  /// A network with a branch, a scope, shared parameters and its own source.
  static func model() -> Model {
    let image = Input(width: 13, height: 11, channels: 3, name: "image")
    let first =
      image --> Convolution(kernel: (3, 3), channels: 5, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2), name: "pool1")
    let branch =
      first
      --> Scope("stage") { x in
        x --> Convolution(kernel: (1, 3), channels: 5, name: "conv")
          --> BatchNormalization(name: "norm") --> Activation(.tanh)
      }
    let sum = [first, branch] --> Add(name: "sum")
    var model = Model(
      input: image,
      output: sum --> Dropout(rate: 0.5, name: "drop") --> Dense(neurons: 7, name: "fc")
        --> Softmax(name: "probabilities"))
    model.metadata.labels = ["a", "b", "c", "d", "e", "f", "g"]
    model.parameters = ByName()
    return model
  }

  /// Seeded values that depend on the name of the layer, and on nothing else.
  struct ByName: ParameterSource {
    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      guard ["conv1", "stage.conv", "stage.norm", "fc"].contains(spec.layer) else { return nil }
      let seed = UInt64(spec.layer.utf8.reduce(7) { $0 &* 31 &+ Int($1) })
      let isPositive = spec.type == .variance
      return ParameterValues(
        seededValues(count: spec.count, seed: seed).map { isPositive ? abs($0) + 0.5 : $0 })
    }
  }

  private func kept(_ names: String...) throws -> [String: [Float]] {
    let network = try Self.model().compile(
      options: CompileOptions(keep: names.map { $0 as any TensorReference }))
    let result = try network.predict(["image": Self.values])
    var values: [String: [Float]] = [:]
    for name in names + ["probabilities"] { values[name] = try #require(result[name]?.values) }
    return values
  }

  private func expectClose(_ actual: TensorValues?, _ expected: [Float]?) throws {
    try expectClose(try #require(actual).values, expected)
  }

  private func expectClose(_ actual: [Float], _ expected: [Float]?) throws {
    let closeness = Closeness(actual, try #require(expected))
    #expect(closeness.sameKind && closeness.relativeL2 < 1e-6, "\(closeness.relativeL2)")
  }

  @Test func tensorsAreListed() throws {
    let tensors = Self.model().tensors
    #expect(
      tensors.map(\.name) == [
        "image", "conv1", "pool1", "stage.conv", "stage.norm", "stage.__Activation_5__", "sum",
        "drop",
        "fc", "probabilities",
      ])
    #expect(tensors[0].isInput && tensors[9].isOutput && !tensors[3].isOutput)
    #expect(tensors[6].inputs == ["pool1", "stage.__Activation_5__"])
    #expect(tensors[2].description == "pool1  6×5×5 (width×height×channels), MaxPooling")
    #expect(try Self.model().tensor(named: "sum").shape == Shape(width: 6, height: 5, channels: 5))
  }

  @Test func cutsKeepBits() throws {
    let expected = try kept("sum", "pool1", "stage.norm")
    let after = try Self.model().cut(after: "sum")
    #expect(try after.compile().predict(Self.values) == expected["sum"])
    #expect(after.metadata.labels.isEmpty)
    let before = try Self.model().cut(before: "sum")
    #expect(before.outputs.count == 2)
    let both = try Self.model().adding(outputs: "pool1", "stage.norm")
    let result = try both.compile().predict(["image": Self.values])
    #expect(result["pool1"]?.values == expected["pool1"])
    for name in ["stage.norm", "probabilities"] { try expectClose(result[name], expected[name]) }
    #expect(both.layers.count == Self.model().layers.count)
  }

  @Test func partsJoinToTheWhole() throws {
    let expected = try kept("pool1")
    let tail = try Self.model().part(from: ["pool1"])
    #expect(tail.inputs.count == 1 && tail.tensors[0].name == "pool1")
    #expect(tail.metadata.labels.count == 7)
    let values = try #require(expected["pool1"])
    #expect(try tail.compile().predict(values) == expected["probabilities"])
    // The summary keeps the scope together.
    #expect(tail.layers.map(\.scope).filter { $0 == "stage" }.count == 3)
    let middle = try Self.model().part(from: ["pool1"], to: ["stage.norm"])
    #expect(middle.layers.map(\.name) == ["stage.conv", "stage.norm"])
  }

  @Test func layersAreReplacedRemovedAndInserted() throws {
    let expected = try kept("fc")
    let removed = try Self.model().removing("drop", "probabilities")
    #expect(try removed.compile().predict(Self.values) == expected["fc"])
    let replaced = try Self.model().replacing("probabilities", with: Identity(name: "logits"))
    #expect(try replaced.compile().predict(Self.values) == expected["fc"])
    // Halved and doubled, which is exact.
    let inserted = try Self.model().inserting(Scale(by: [0.5]), after: "image")
      .inserting(Scale(by: [2]), before: "conv1")
    try expectClose(try inserted.compile().predict(Self.values), expected["probabilities"])
    #expect(inserted.inputs.count == 1 && inserted.metadata.labels.count == 7)
    let doubled = try Self.model().inserting(Scale(by: [2]), after: "pool1")
    #expect(try doubled.compile().predict(Self.values) != expected["probabilities"])
  }

  @Test func renamedLayersKeepTheirParameters() throws {
    let expected = try kept("fc")
    let renamed = try Self.model().renaming([
      "conv1": "fc", "fc": "conv1", "image": "photo", "stage.norm": "bn", "probabilities": "p",
    ])
    let result = try renamed.compile().predict(["photo": Self.values])
    #expect(result["p"]?.values == expected["probabilities"])
    // A closure is asked for the new names.
    var asked: Set<String> = []
    _ = try renamed.compile { name, count, type in
      asked.insert(name)
      return ParameterValues(Array(repeating: 1, count: count))
    }
    #expect(asked == ["fc", "conv1", "stage.conv", "bn"])
    // A new layer of a name that is free again does not take the old parameters.
    let free = try Self.model().renaming(["fc": "old"])
      .replacing("probabilities", with: Dense(neurons: 7, name: "fc"))
    #expect(throws: CompileError.self) { try free.compile() }
    let head = ParameterDictionary([
      "fc": [
        .weights: (0..<49).map { $0 % 8 == 0 ? 1 : 0 }, .biases: Array(repeating: 0, count: 7),
      ]
    ])
    #expect(try free.adding(parameters: head).compile().predict(Self.values) == expected["fc"])
  }

  /// Parameters that go by the order of layers stay with their layers.
  @Test func orderedParametersStayWithTheirLayers() throws {
    struct Ordered: ParameterSource {
      var goesByName: Bool { false }
      var specs: [ParameterSpec] = []
      func prepared(for specs: [ParameterSpec]) -> any ParameterSource { Ordered(specs: specs) }
      func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
        specs.firstIndex(of: spec).map {
          ParameterValues(seededValues(count: spec.count, seed: UInt64($0)).map { abs($0) + 0.1 })
        }
      }
    }
    var model = Self.model()
    model.parameters = Ordered()
    let network = try model.compile(options: CompileOptions(keep: ["stage.norm", "pool1"]))
    let expected = try network.predict(["image": Self.values])
    let part = try model.part(from: ["pool1"], to: ["stage.norm"])
    let values = try #require(expected["pool1"]?.values)
    try expectClose(try part.compile().predict(values), expected["stage.norm"]?.values)
    let input = Input(width: 4, height: 3, channels: 2)
    var unnamed = Model(input: input, output: input --> Dense(neurons: 3))
    unnamed.parameters = Ordered()
    let error = #expect(throws: SurgeryError.self) { try unnamed.cut(after: "__Dense_1__") }
    #expect(error?.kind == .unnamedLayers)
  }

  @Test func inputsAreReplaced() throws {
    let photo = Input(width: 26, height: 22, channels: 3, name: "photo")
    let model = try Self.model()
      .replacing(input: "image", with: photo --> MaxPooling(2))
    let network = try model.compile()
    // Each pixel four times, of which the largest is the pixel.
    var large: [Float] = []
    for pixel in 0..<22 * 26 {
      let place = (pixel / 26 / 2 * 13 + pixel % 26 / 2) * 3
      large += Self.values[place..<place + 3]
    }
    try expectClose(try network.predict(large), try kept("fc")["probabilities"])
  }

  /// A cut in a model of sequences takes sequences of any length.
  @Test func lengthsStay() throws {
    let ids = Input(shape: [.upTo(9), 4], name: "steps")
    var model = Model(
      input: ids,
      output: ids --> Convolution1D(kernel: 3, channels: 5, name: "conv")
        --> LSTM(units: 3, name: "lstm"))
    model.parameters = RandomByName()
    let network = try model.compile(options: CompileOptions(keep: ["conv"]))
    let tail = try model.part(from: ["conv"])
    for length in [9, 4, 1] {
      let steps = TensorValues(
        shape: Shape(sizes: [length, 4]), values: seededValues(count: length * 4, seed: 2))
      let all = try network.predict(["steps": steps])
      let conv = try #require(all["conv"])
      let part = TensorValues(shape: Shape(sizes: [length, 5]), values: conv.values)
      #expect(try tail.compile().predict(["conv": part])["lstm"] == all["lstm"])
    }
  }

  struct RandomByName: ParameterSource {
    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      ParameterValues(seededValues(count: spec.count, seed: UInt64(spec.count)))
    }
  }

  @Test func mistakesNameTheLayers() throws {
    let model = Self.model()
    func error(_ body: () throws -> Model) -> SurgeryError? {
      #expect(throws: SurgeryError.self) { try body() }
    }
    let misspelled = error { try model.cut(after: "pol1") }
    #expect(misspelled?.kind == .noSuchName)
    #expect(
      misspelled?.description
        == """
        no tensor of the model is called "pol1"
          remedy    did you mean "pool1"?
        """)
    #expect(error { try model.removing("image") }?.kind == .noSuchName)
    let pool = error { try model.removing("pool1") }
    #expect(pool?.kind == .doesNotFit)
    #expect(pool?.layer == "pool1")
    #expect(pool?.received?.contains("13×11×5 (width×height×channels) from \"conv1\"") == true)
    #expect(error { try model.removing("sum") }?.kind == .doesNotFit)
    #expect(error { try model.inserting(Activation(.relu), before: "sum") }?.layer == "sum")
    let small = error { try model.replacing("stage.norm", with: MaxPooling(2)) }
    #expect(small?.kind == .leavesMistakes)
    #expect(small?.layer == "sum")
    #expect(error { try model.renaming(["fc": ""]) }?.kind == .badName)
    #expect(error { try model.renaming(["fc": "conv1"]) }?.kind == .leavesMistakes)
    #expect(error { try model.part(from: ["fc"], to: ["pool1"]) }?.kind == .notSeparated)
    let other = error { try model.part(from: ["stage.conv"], to: ["sum"]) }
    #expect(other?.kind == .notSeparated)
    #expect(other?.received == "\"image\"")
    let flawed = Model(
      input: Input(width: 2, height: 2, channels: 1),
      output: Input(width: 2, height: 2, channels: 1) --> MaxPooling(kernel: (5, 5), stride: (1, 1))
    )
    #expect(error { try flawed.cut(after: "input") }?.kind == .flawedModel)
    let x = Input(width: 4, height: 4, channels: 2)
    let shared = { (x: Tensor) in x --> PointwiseConvolution(channels: 2, name: "shared") }
    let twice = Model(input: x, output: shared(shared(x)))
    #expect(error { try twice.cut(after: "shared") }?.kind == .ambiguousName)
    #expect(try twice.renaming(["shared": "both"]).parameterCount == twice.parameterCount)
  }
}
