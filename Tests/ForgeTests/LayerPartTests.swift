import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Parameters of layers that PyTorch and Keras make of several, found by their names.
///
/// `Scripts/references/make_part_references.py` has written the files.
@Suite struct LayerPartTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")
  private static let pytorch = folder.appending(path: "parts.safetensors").path
  private static let keras = folder.appending(path: "parts.weights.h5").path

  private let x = Input(shape: [11, 5], name: "x")
  private let z = Input(shape: [11, 6], name: "z")

  private func values(_ name: String) throws -> [Float] {
    var result: [Float] = []
    try SafeTensors(Self.pytorch).data(named: name).withUnsafeBytes { bytes in
      result = Array(bytes.bindMemory(to: Float.self))
    }
    return result
  }

  private func expectNumbers(
    of network: String, _ model: Model, _ source: any ParameterSource,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = try model.compile(parameters: source)
    expectClose(
      try compiled.predict(values("input_" + network)), try values("output_" + network),
      relativeL2: 1e-6, sourceLocation: sourceLocation)
  }

  /// `both.weight_ih_l0_reverse`.
  @Test func pytorchDirections() throws {
    let layer = Bidirectional(
      LSTM(units: 7, returnSequences: true, projection: 3, form: .pytorch), name: "both")
    try expectNumbers(
      of: "both", Model(input: x, output: x --> layer), try SafeTensorsParameters(Self.pytorch))
  }

  /// `stack.weight_ih_l1` belongs to the layer `stack.l1`.
  @Test func pytorchStack() throws {
    func layer(_ name: String) -> Bidirectional {
      Bidirectional(GRU(units: 7, returnSequences: true, form: .pytorch), name: name)
    }
    try expectNumbers(
      of: "stack", Model(input: x, output: x --> layer("stack") --> layer("stack.l1")),
      try SafeTensorsParameters(Self.pytorch))
  }

  /// `heads.in_proj_weight` and `heads.out_proj.weight`.
  @Test func pytorchAttention() throws {
    let layer = MultiHeadAttention(heads: 3, keyChannels: 2, form: .joined, name: "heads")
    try expectNumbers(
      of: "heads", Model(input: z, output: z --> layer), try SafeTensorsParameters(Self.pytorch))
  }

  /// `llama.q_proj.weight` to `llama.o_proj.weight`.
  @Test func separateProjections() throws {
    func model(useBias: Bool) -> Model {
      Model(
        input: x,
        output: x
          --> MultiHeadAttention(
            heads: 4, keyChannels: 3, keyValueHeads: 2, useBias: useBias, name: "llama"))
    }
    try expectNumbers(
      of: "llama", model(useBias: false), try SafeTensorsParameters(Self.pytorch))
    let error = #expect(throws: CompileError.self) {
      try model(useBias: true).compile(parameters: SafeTensorsParameters(Self.pytorch))
    }
    #expect(error?.description.contains("queryBiases") == true)
  }

  /// `bi/forward_lstm/lstm_cell` and `bi/backward_lstm/lstm_cell`.
  @Test func kerasDirections() throws {
    let output =
      x --> Bidirectional(LSTM(units: 7, returnSequences: true), name: "bi")
      --> Bidirectional(GRU(units: 3, returnSequences: true), name: "bg")
      --> TimeDistributed(Dense(neurons: 4), name: "tags")
    try expectNumbers(
      of: "tagger", Model(input: x, output: output), try HDF5Parameters(Self.keras))
  }

  /// `mha/query` to `mha/attention_output`.
  @Test func kerasAttention() throws {
    let attention = MultiHeadAttention(heads: 3, keyChannels: 4, valueChannels: 5, name: "mha")
    let output =
      [z, z --> attention] --> Add()
      --> MultiHeadAttention(heads: 4, keyChannels: 4, keyValueHeads: 2, name: "gqa")
    try expectNumbers(
      of: "attention", Model(input: z, output: output), try HDF5Parameters(Self.keras))
  }

  /// A bias in the file that the network does not take would be lost without a word.
  @Test func partsThatAreNotTakenAreErrors() throws {
    let attention = MultiHeadAttention(
      heads: 3, keyChannels: 4, valueChannels: 5, useBias: false, name: "mha")
    let joined = MultiHeadAttention(
      heads: 3, keyChannels: 2, useBias: false, form: .joined, name: "heads")
    for (layer, source) in [
      (attention, try HDF5Parameters(Self.keras) as any ParameterSource),
      (joined, try SafeTensorsParameters(Self.pytorch)),
    ] {
      let error = #expect(throws: CompileError.self) {
        try Model(input: z, output: z --> layer).compile(parameters: source)
      }
      #expect(error?.description.contains("the model") == true, "\(error?.description ?? "")")
    }
  }
}
