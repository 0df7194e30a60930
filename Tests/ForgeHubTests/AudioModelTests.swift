import Forge
import ForgeAudio
import ForgeHub
import Foundation
import Testing

/// Whisper's encoder gives what transformers computes for it in double precision.
@Suite struct AudioModelTests {
  struct Answer: Decodable {
    /// Samples of 16 bits.
    let samples: [Int16]
    let input: [Float]
    let outputs: [String: [Float]]
  }

  private func answers(_ name: String) throws -> [Answer] {
    try Fixture.decoded("\(name)/answers.json")
  }

  @Test(arguments: ["whisper", "whisper-writing"]) func features(_ name: String) throws {
    let hub = try HubAudioModel(contentsOf: Fixture.path(name))
    #expect((hub.steps, hub.bands, hub.channels) == (100, 5, 18))
    let network = try hub.model.compile()
    for answer in try answers(name) {
      let expected = try #require(answer.outputs["last_hidden_state"])
      let own = try network.predict(answer.input)
      try #require(own.count == expected.count)
      let scale = max(1, expected.map(abs).max() ?? 0)
      let difference = zip(own, expected).map { abs($0 - $1) }.max() ?? .infinity
      #expect(difference <= 1e-5 * scale)
    }
  }

  /// `MelSpectrogram.whisper` of the samples, cut or filled with silence, is the input that
  /// `WhisperFeatureExtractor` makes.
  @Test func spectrograms() throws {
    let hub = try HubAudioModel(contentsOf: Fixture.path("whisper"))
    let count = 160 * hub.steps
    let all = try answers("whisper")
    #expect(all.contains { $0.samples.count < count } && all.contains { $0.samples.count > count })
    for answer in all {
      var samples = answer.samples.prefix(count).map { Float($0) / 32768 }
      samples += [Float](repeating: 0, count: count - samples.count)
      let own = try MelSpectrogram.whisper(bands: hub.bands).spectrogram(of: samples).values
      try #require(own.count == answer.input.count)
      let difference = zip(own, answer.input).map { abs($0 - $1) }.max() ?? .infinity
      #expect(difference <= 2e-5)
    }
  }

  @Test func foldersThatLie() throws {
    #expect { _ = try HubAudioModel(contentsOf: "/no/such/folder") } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
    let empty = try Fixture.changed("whisper", ["model.safetensors": nil])
    #expect { _ = try HubAudioModel(contentsOf: empty.path) } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
    let limits = HubLimits(positions: 49)
    #expect {
      _ = try HubAudioModel(contentsOf: Fixture.path("whisper"), limits: limits)
    } throws: { ($0 as? HubError)?.entry == "max_source_positions" }
  }

  /// Weights of another network than the configuration's are errors of the compile.
  @Test(arguments: [
    ("d_model", 24), ("encoder_ffn_dim", 22), ("num_mel_bins", 6), ("encoder_layers", 3),
    ("max_source_positions", 51),
  ])
  func otherWeights(_ key: String, _ value: Int) throws {
    let folder = try Fixture.configured("whisper", [key: value])
    let hub = try HubAudioModel(contentsOf: folder.path)
    #expect(throws: CompileError.self) { _ = try hub.model.compile() }
  }
}
