import Forge
import ForgeHub
import Foundation
import Testing

/// Texts of speech are those of transformers' generate.
@Suite struct TranscriberTests {
  struct Answer: Decodable {
    /// Samples of 16 bits; `nil` for those of the answer before.
    let samples: [Int16]?
    let task: String?
    let language: String?
    let ids: [Int32]
    /// The code of the likeliest language.
    let detected: String?
    let text: String
  }

  private static func answers(_ name: String) throws -> [Answer] {
    try Fixture.decoded("\(name)/answers.json")
  }

  private func error(_ body: () throws -> Void) -> HubError? {
    do { try body() } catch { return error as? HubError }
    return nil
  }

  @Test(arguments: ["whisper-languages", "whisper-english"])
  func texts(_ name: String) throws {
    let transcriber = try Transcriber(contentsOf: Fixture.path(name))
    let answers = try Self.answers(name)
    #expect(transcriber.maximumSamples == 16_000)
    #expect(transcriber.languages == (name == "whisper-english" ? [] : ["de", "en", "ja"]))
    #expect(Set(answers.map(\.ids)).count > 1)
    var samples: [Float] = []
    for answer in answers {
      if let own = answer.samples { samples = own.map { Float($0) / 32768 } }
      let transcript = try transcriber.transcribe(
        samples, language: answer.language, translates: answer.task == "translate")
      #expect(transcript.ids == answer.ids)
      #expect(transcript.text == answer.text)
      #expect(transcript.language == answer.language ?? answer.detected)
    }
  }

  @Test func refusals() throws {
    let many = try Transcriber(contentsOf: Fixture.path("whisper-languages"))
    let one = try Transcriber(contentsOf: Fixture.path("whisper-english"))
    let long = [Float](repeating: 0, count: 16_001)
    #expect(error { _ = try many.transcribe(long) }?.entry == "samples")
    #expect(error { _ = try many.transcribe([], language: "<|en|>") }?.entry == "language")
    #expect(error { _ = try one.transcribe([], language: "en") }?.entry == "language")
    #expect(error { _ = try one.transcribe([], translates: true) }?.entry == "translates")
    #expect(error { _ = try many.transcribe([.nan]) }?.kind == .prediction)
    // Silence is a sound, too.
    #expect(try many.transcribe([]).language != nil)
  }

  @Test func foldersThatLie() throws {
    let name = "whisper-languages"
    func error(_ files: [String: String?]) throws -> HubError? {
      let folder = try Fixture.changed(name, files)
      return self.error { _ = try Transcriber(contentsOf: folder.path) }
    }
    #expect(try error(["tokenizer.json": nil])?.kind == .fileMissing)
    #expect(try error(["model.safetensors": nil])?.kind == .fileMissing)
    let cases: [(String, String)] = [
      (#"{"lang_to_id": {"<|en|>": 1000000}}"#, "lang_to_id.<|en|>"),
      (#"{"lang_to_id": {"<|en|>": "x"}}"#, "lang_to_id.<|en|>"),
      (#"{"lang_to_id": []}"#, "lang_to_id"), (#"{"task_to_id": {"translate": -1}}"#, ""),
      (#"{"no_timestamps_token_id": -1}"#, "no_timestamps_token_id"),
      (#"{"decoder_start_token_id": 1e9}"#, "decoder_start_token_id"),
      (#"{"suppress_tokens": "all"}"#, "suppress_tokens"), (#"{"num_beams": 5}"#, "num_beams"),
      (#"{"max_length": 0}"#, "max_length"),
    ]
    for (json, entry) in cases {
      let found = try error(["generation_config.json": json])
      #expect(found?.kind == .invalid || found?.kind == .unsupported, "\(json)")
      #expect(entry.isEmpty || found?.entry == entry, "\(json)")
    }
    #expect(try error(["generation_config.json": "["])?.kind == .malformed)
    // Without the file there is one language; what config.json says holds.
    let plain = try Fixture.changed(name, ["generation_config.json": nil])
    let transcript = try Transcriber(contentsOf: plain.path).transcribe([0.5, -0.5])
    #expect(transcript.language == nil)
    #expect((0...32).contains(transcript.ids.count))
  }

  @Test(arguments: [
    ("decoder_layers", 3), ("decoder_layers", 1 << 20), ("decoder_ffn_dim", 20), ("d_model", 24),
    ("decoder_attention_heads", 5), ("vocab_size", 100), ("max_target_positions", 34),
    ("max_target_positions", 7), ("decoder_layers", 0), ("scale_embedding", -1),
  ])
  func otherNetworks(_ key: String, _ value: Int) throws {
    let folder = try Fixture.configured(
      "whisper-languages", [key: value < 0 ? true as Any : value as Any])
    #expect { _ = try Transcriber(contentsOf: folder.path) } throws: { error in
      guard let error = error as? HubError else { return false }
      return [.compile, .invalid, .unsupported].contains(error.kind)
    }
  }
}
