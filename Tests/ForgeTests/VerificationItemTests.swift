import Forge
import ForgeTestSupport
import Testing

/// Outputs that `verify` compares item by item, on numbers of one scale and of uneven scale.
@Suite struct VerificationItemTests {
  private static let rows = 32
  private static let neurons = 8

  /// The rows of a product, which are items.
  private func product(_ neurons: Int = neurons, inputs: Int = 16) -> Model {
    let input = Input(shape: [Self.rows, inputs], name: "x")
    return Model(input: input, output: input --> LastAxisDense(neurons: neurons, name: "product"))
  }

  /// The details of the failed verification by their labels.
  private func details(
    _ model: Model, _ fault: @escaping @Sendable (inout [Float]) -> Void
  ) throws -> [String: String] {
    var options = CompileOptions(verify: .samples(1))
    options.backend = ReferenceBackend(fault: fault)
    let error = #expect(throws: CompileError.self) {
      try model.compile(parameters: SeededParameters(), options: options)
    }
    let problem = try #require(error?.problems.first)
    #expect(problem.headline == "the compiled plan differs from the reference executor")
    return Dictionary(problem.details.map { ($0.label, $0.text) }, uniquingKeysWith: { a, _ in a })
  }

  /// An error of a millionth of the row that is as far away as in a halved image is small beside
  /// rows of one scale.
  @Test func anErrorThatIsRelativeToAnotherRowIsFound() throws {
    let (rows, neurons) = (Self.rows, Self.neurons)
    let details = try details(product()) { values in
      let exact = values
      for row in 0..<rows {
        for neuron in 0..<neurons {
          values[row * neurons + neuron] += 1e-6 * exact[(row + rows / 2) % rows * neurons + neuron]
        }
      }
    }
    #expect(details["inputs"] == "rows and channels of different scale")
    #expect(details["received"]?.contains(" of item ") == true)
    #expect(details["received"]?.hasSuffix(" of output \"product\"") == true)
    #expect(details["first at"] == "layer \"product\"")
  }

  /// A row that is off by a hundredth, where the whole output is not, because the row is small.
  @Test func aSmallRowIsCompared() throws {
    let (rows, neurons) = (Self.rows, Self.neurons)
    let details = try details(product()) { values in
      let sums = (0..<rows).map { row in
        values[(row * neurons)..<((row + 1) * neurons)].reduce(0) { $0 + abs($1) }
      }
      let least = sums.indices.min { sums[$0] < sums[$1] } ?? 0
      for index in (least * neurons)..<((least + 1) * neurons) { values[index] *= 1.01 }
    }
    let received = try #require(details["received"])
    // One hundredth of the row, whatever the other rows are.
    #expect(received.contains("0.01") || received.contains("0.0099"))
  }

  /// The examples of a batch that the model states.
  @Test func examplesOfAStatedBatchAreItems() throws {
    let input = Input(shape: [4, 3, 40], name: "x")
    let model = Model(input: input, output: input --> LastAxisDense(neurons: 5, name: "product"))
    let details = try details(model) { values in
      let exact = values
      for (item, other) in (0..<4).flatMap({ item in (0..<4).map { (item, $0) } })
      where item != other {
        for index in 0..<15 { values[15 * item + index] += 1e-6 * exact[15 * other + index] }
      }
    }
    #expect(details["inputs"] != nil)
  }

  /// One item in place of many where scales are shared, and where there is one vector.
  @Test func vectorsAreOneItem() throws {
    let input = Input(width: 3, height: 3, channels: 2)
    let network = try Model(input: input, output: input --> Dense(neurons: 7, name: "fc")).compile(
      parameters: SeededParameters(), options: CompileOptions(verify: .samples(1)))
    #expect(network.report.verification?.errors.map(\.item) == [nil])
    let rows = try product().compile(
      parameters: SeededParameters(), options: CompileOptions(verify: .samples(1)))
    #expect(rows.report.verification?.errors.allSatisfy { $0.item != nil } == true)
  }

  /// Plans of networks that keep items apart, mix them, and share pixels pass.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func rightPlansPass(_ set: CompileOptions.InstructionSet) throws {
    let tokens = Input(shape: [24, 32], name: "tokens")
    let image = Input(width: 19, height: 17, channels: 16, name: "image")
    let models = [
      product(24),
      Model(input: tokens, output: tokens --> TransformerEncoder(heads: 4, hidden: 64).named("t")),
      Model(
        input: tokens,
        output: tokens --> Convolution1D(kernel: 3, channels: 16, activation: .relu, name: "c")
          --> LSTM(units: 8, returnSequences: true, name: "l")),
      Model(
        input: image,
        output: image --> Convolution(kernel: 3, channels: 32, activation: .relu, name: "a")
          --> Convolution(kernel: 3, channels: 32, activation: .relu, name: "b")
          --> PointwiseConvolution(channels: 8, name: "p")),
    ]
    for model in models {
      let network = try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(verify: .samples(3), instructionSet: set))
      for error in try #require(network.report.verification).errors {
        #expect(error.checked <= 1e-5)
      }
    }
  }

  /// Ids are never scaled.
  @Test func idsStayInTheVocabulary() throws {
    let ids = Input(shape: [12], name: "ids")
    let network = try Model(
      input: ids,
      output: ids --> Embedding(vocabulary: 9, channels: 6, name: "e")
        --> LastAxisDense(neurons: 4, name: "d")
    ).compile(parameters: SeededParameters(), options: CompileOptions(verify: .samples(4)))
    #expect(network.report.verification?.samples == 4)
  }

  /// Scales that int8 shares among all items are not a mistake.
  @Test func int8IsComparedAsAWhole() throws {
    let model = product(64, inputs: 64)
    let network = try model.compile(
      parameters: SeededParameters(),
      options: CompileOptions(verify: .samples(2), precision: .int8))
    if network.report.precision == .int8 {
      #expect(network.report.verification?.errors.map(\.item) == [nil])
    }
  }
}
