import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Flattened sequences before weights of PyTorch.
///
/// `Scripts/references/make_sequence_flattens.py` has computed the numbers with PyTorch.
@Suite struct FlattenedSequenceTests {
  private let path: String
  private let input = Input(shape: [7, 6])

  init() {
    path =
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/sequence_flattens.safetensors").path
  }

  private func stored(_ name: String) throws -> [Float] {
    var values: [Float] = []
    try SafeTensors(path).data(named: name).withUnsafeBytes {
      values = Array($0.assumingMemoryBound(to: Float.self))
    }
    return values
  }

  private func expect(
    _ features: Tensor, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try stored("\(name).expected")
    let dense = Dense(neurons: 3, name: "out")
    for output in [features --> Flatten() --> dense, features --> dense] {
      let network = try Model(input: input, output: output).compile(
        parameters: SafeTensorsParameters(path).prefixed("\(name)."))
      expectClose(
        try network.predict(try stored("input")), expected, relativeL2: 1e-6, maximum: 1e-5, name,
        sourceLocation: sourceLocation)
    }
  }

  private func convolution(
    _ kernel: Int = 3, _ channels: Int = 5, _ name: String = "conv"
  )
    -> Convolution1D
  { Convolution1D(kernel: kernel, channels: channels, name: name) }

  /// Recurrent layers, attention and dense layers of each step have the steps first.
  @Test func stepsFirst() throws {
    try expect(
      input --> LSTM(units: 5, returnSequences: true, form: .pytorch, name: "rnn"), "lstm")
    try expect(input --> LastAxisDense(neurons: 5, name: "fc") --> ReLU(), "linear")
    let attention = MultiHeadAttention(
      heads: 2, keyChannels: 3, form: .joined, name: "attention")
    let sum = [input, input --> attention] --> Add()
    try expect(sum --> LayerNormalization(epsilon: 1e-5, name: "norm"), "attention")
    try expect(
      input --> convolution()
        --> GRU(units: 4, returnSequences: true, form: .pytorch, name: "rnn"), "recurrent")
  }

  /// Convolutions and poolings have the channels first.
  @Test func channelsFirst() throws {
    try expect(input --> convolution() --> ReLU(), "conv")
    try expect(input --> convolution(1), "pointwise")
    try expect(
      input --> convolution() --> BatchNormalization(epsilon: 1e-5, name: "norm")
        --> MaxPooling1D(kernel: 2), "normalized")
    try expect(
      input --> convolution(3, 6) --> GroupNormalization(groups: 2, epsilon: 1e-5, name: "norm"),
      "grouped")
    try expect(
      [input --> convolution(), input --> convolution(1, 2, "other")] --> Concatenate(), "joined")
    // Turned to the order in which the weights are.
    try expect(input --> convolution() --> ReLU() --> Permute(order: [1, 0]), "conv")
  }

  /// A sum of both has neither order.
  @Test func sumsOfBothAreRefused() throws {
    let steps = input --> LastAxisDense(neurons: 5, name: "fc")
    let sum = [steps, input --> convolution()] --> Add()
    func error(_ output: Tensor, _ layout: ParameterLayout) throws -> CompileError? {
      let model = Model(input: input, output: output --> Dense(neurons: 3, name: "out"))
      var values: [String: [ParameterType: [Float]]] = [:]
      for spec in model.parameterSpecs {
        values[spec.layer, default: [:]][spec.type] = seededValues(count: spec.count, seed: 5)
      }
      do {
        _ = try model.compile(parameters: ParameterDictionary(values, layout: layout))
        return nil
      } catch {
        return error
      }
    }
    #expect(try error(sum, .forge) == nil)
    let text = "\(try #require(try error(sum, .pytorch)))"
    #expect(text.contains("the order of the weights is not known"))
    #expect(
      try error(sum --> LSTM(units: 4, returnSequences: true, name: "rnn"), .pytorch) == nil)
  }
}
