import Forge
import ForgeHub
import Foundation
import Testing

/// Texts of encoder-decoders are those of transformers' generate.
@Suite struct EncoderDecoderTests {
  struct Answers: Decodable {
    struct Text: Decodable {
      let prompt: String
      let promptIDs: [Int32]
      let ids: [Int32]
      let text: String
      /// The numbers of all tokens behind the start and the first tokens.
      let logits: [[Float]]?
    }

    let maximumTokens: Int
    let texts: [Text]
    let penalty: Float
    /// The tokens of the first prompt with the penalty.
    let penalizedIDs: [Int32]
  }

  static let folders = [
    "write-t5", "write-t5-gated", "write-mt5", "write-umt5", "write-bart", "write-mbart",
    "write-marian",
  ]

  private static func answers(_ name: String) throws -> Answers {
    try Fixture.decoded("\(name)/answers.json")
  }

  private static func pieces(_ text: GeneratedText) async throws -> [GeneratedPiece] {
    try await text.reduce(into: []) { $0.append($1) }
  }

  private func error(_ body: () throws -> Void) -> HubError? {
    do { try body() } catch { return error as? HubError }
    return nil
  }

  // MARK: Equal to the library

  @Test(arguments: folders) func greedy(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    #expect(generator.maximumLength == 64)
    #expect(!generator.hub.isCausal)
    let answers = try Self.answers(name)
    for answer in answers.texts {
      let text = try generator.generate(
        answer.prompt, options: GenerationOptions(maximumTokens: answers.maximumTokens))
      #expect(text.promptIDs == answer.promptIDs)
      let pieces = try await Self.pieces(text)
      #expect(pieces.flatMap(\.ids) == answer.ids, "\(answer.prompt)")
      #expect(pieces.map(\.text).joined() == answer.text, "\(answer.prompt)")
      #expect(pieces.last?.ending != nil)
      #expect(pieces.dropLast().allSatisfy { $0.ending == nil && !$0.text.isEmpty })
    }
    #expect(Set(answers.texts.map(\.ids)).count > 1)
  }

  @Test(arguments: folders) func logits(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    var compared = 0
    for answer in try Self.answers(name).texts {
      guard let expected = answer.logits else { continue }
      let rows = try await generator.logits(
        behind: Array(answer.ids.prefix(expected.count - 1)), prompt: answer.promptIDs)
      try #require(rows.count == expected.count)
      for (row, numbers) in zip(rows, expected) {
        try #require(row.count == numbers.count)
        let scale = max(1, numbers.map(abs).max() ?? 0)
        let difference = zip(row, numbers).map { abs($0 - $1) }.max() ?? .infinity
        #expect(difference <= ReferenceTests.tolerance * scale, "\(answer.prompt)")
        compared += 1
      }
    }
    #expect(compared == 10)
  }

  /// The penalty counts the tokens of the text alone, not those of the prompt.
  @Test(arguments: folders) func penalty(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    let answers = try Self.answers(name)
    let options = GenerationOptions(
      maximumTokens: answers.maximumTokens, repetitionPenalty: answers.penalty)
    let text = try generator.generate(answers.texts[0].prompt, options: options)
    #expect(try await Self.pieces(text).flatMap(\.ids) == answers.penalizedIDs)
    #expect(answers.penalizedIDs != answers.texts[0].ids)
  }

  /// The penalty also counts a first token that is forced; the tokens are those of the library.
  @Test func penaltyOfForcedTokens() async throws {
    let json = """
      {"decoder_start_token_id": 2, "eos_token_id": 2, "forced_bos_token_id": 174,
      "forced_eos_token_id": 2}
      """
    let folder = try Fixture.changed("write-bart", ["generation_config.json": json])
    let generator = try Generator(contentsOf: folder.path)
    for (penalty, expected) in [
      (Float(1), [Int32](repeating: 174, count: 8) + [2]),
      (1.75, [174, 238, 136, 76, 257, 223, 246, 247, 2]),
    ] {
      let options = GenerationOptions(maximumTokens: 9, repetitionPenalty: penalty)
      let text = try generator.generate("Swallows leave", options: options)
      #expect(try await Self.pieces(text).flatMap(\.ids) == expected)
    }
  }

  // MARK: Endings

  @Test(arguments: ["write-bart", "write-mbart", "write-marian"])
  func forcedTokens(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    let first: Int32? = name == "write-bart" ? 0 : name == "write-mbart" ? 4 : nil
    let last: Int32 = name == "write-bart" ? 2 : 1
    for count in [1, 2, 5] {
      let text = try generator.generate("Ada", options: GenerationOptions(maximumTokens: count))
      let pieces = try await Self.pieces(text)
      let ids = pieces.flatMap(\.ids)
      #expect(ids.count == count)
      #expect(ids.last == last)
      #expect(pieces.last?.ending == .endOfText)
      if count > 1, let first { #expect(ids.first == first) }
    }
    // One that does not force its tokens.
    let folder = try Fixture.changed(name, ["generation_config.json": #"{"eos_token_id": 1}"#])
    let free = try Generator(contentsOf: folder.path)
    let pieces = try await Self.pieces(
      free.generate("Ada", options: GenerationOptions(maximumTokens: 2)))
    #expect(pieces.flatMap(\.ids).last != last)
    #expect(pieces.last?.ending == .maximumTokens)
  }

  @Test(arguments: folders) func longestTexts(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name), maximumLength: 9)
    let pieces = try await Self.pieces(generator.generate("one"))
    let ids = pieces.flatMap(\.ids)
    #expect(ids.count <= 8)
    #expect(ids.count == 8 || pieces.last?.ending == .endOfText)
    let long = "London London London London London"
    #expect(error { _ = try generator.generate(long) }?.entry == "prompt")
  }

  @Test(arguments: folders) func stopTexts(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    let options = GenerationOptions(maximumTokens: 20)
    let whole = try await generator.generate("Swallows", options: options).text()
    let scalars = Array(whole.unicodeScalars)
    try #require(scalars.count > 3)
    for (start, length) in [(0, 1), (2, 2), (scalars.count - 1, 1)] {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[start..<start + length])
      let stop = String(view)
      let text = try generator.generate(
        "Swallows", options: GenerationOptions(maximumTokens: 20, stopTexts: [stop]))
      let end = try #require(
        whole.utf8.indices.first { whole.utf8[$0...].starts(with: stop.utf8) })
      #expect(try await text.text() == String(whole[..<end]), "\(stop)")
    }
  }

  @Test func seedsRepeat() async throws {
    let generator = try Generator(contentsOf: Fixture.path("write-umt5"))
    var options = GenerationOptions(maximumTokens: 20, temperature: 2, topK: 30, topP: 0.9, seed: 5)
    let first = try await Self.pieces(generator.generate("Ada", options: options))
    #expect(try await Self.pieces(generator.generate("Ada", options: options)) == first)
    options.seed = 6
    #expect(try await Self.pieces(generator.generate("Ada", options: options)) != first)
  }

  @Test func cancellation() async throws {
    let generator = try Generator(contentsOf: Fixture.path("write-t5"))
    let text = try generator.generate("Ada", options: GenerationOptions(temperature: 2, seed: 1))
    let task = Task { () -> Bool in
      do {
        for try await piece in text where piece.ending == nil {
          withUnsafeCurrentTask { $0?.cancel() }
        }
      } catch { return error is CancellationError }
      return false
    }
    #expect(await task.value)
  }

  /// Texts that are written at the same time do not see each other.
  @Test(arguments: [1, 3]) func manyAtOnce(_ streams: Int) async throws {
    let generator = try Generator(contentsOf: Fixture.path("write-mt5"), streams: streams)
    let answers = try Self.answers("write-mt5")
    let options = GenerationOptions(maximumTokens: answers.maximumTokens)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for answer in answers.texts + answers.texts {
        group.addTask {
          let text = try generator.generate(answer.prompt, options: options)
          #expect(try await Self.pieces(text).flatMap(\.ids) == answer.ids)
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: Settings

  /// Tokens that are never chosen, of any network that writes.
  @Test(arguments: ["write-t5", "generate-llama"]) func badWords(_ name: String) async throws {
    let plain = try Generator(contentsOf: Fixture.path(name))
    let options = GenerationOptions(maximumTokens: 12)
    let ids = try await Self.pieces(plain.generate("Ada", options: options)).flatMap(\.ids)
    let banned = try #require(ids.first)
    let json = #"{"decoder_start_token_id": 0, "bad_words_ids": [["#
    let folder = try Fixture.changed(
      name, ["generation_config.json": json + "\(banned)]]}"])
    let generator = try Generator(contentsOf: folder.path)
    let others = try await Self.pieces(generator.generate("Ada", options: options)).flatMap(\.ids)
    #expect(!others.isEmpty && !others.contains(banned))
    let pairs = try Fixture.changed(
      name, ["generation_config.json": json + "\(banned), 3]]}"])
    #expect(error { _ = try Generator(contentsOf: pairs.path) }?.entry == "bad_words_ids")
    let letters = try Fixture.changed(
      name, ["generation_config.json": json + "\"a\"]]}"])
    #expect(error { _ = try Generator(contentsOf: letters.path) }?.kind == .invalid)
  }

  @Test func refusals() throws {
    let cases: [(String, String, Any?, String)] = [
      ("write-t5", "feed_forward_proj", "gated-snake", "feed_forward_proj"),
      ("write-t5", "architectures", ["T5EncoderModel"], "architectures"),
      ("write-t5", "relative_attention_max_distance", 4, "relative_attention_max_distance"),
      ("write-t5", "num_decoder_layers", 0, "num_decoder_layers"),
      ("write-bart", "architectures", ["BartForCausalLM"], "architectures"),
      ("write-bart", "normalize_before", true, "normalize_before"),
      ("write-bart", "decoder_layers", 0, "decoder_layers"),
      ("write-mbart", "activation_function", "snake", "activation_function"),
      ("write-mbart", "decoder_attention_heads", 4, "decoder_attention_heads"),
      ("write-marian", "max_position_embeddings", 1 << 30, "max_position_embeddings"),
      ("write-marian", "quantization_config", ["bits": 4], "quantization_config"),
    ]
    for (name, key, value, entry) in cases {
      let folder = try Fixture.configured(name, [key: value])
      let found = error { _ = try Generator(contentsOf: folder.path) }
      #expect(found?.kind == .unsupported || found?.kind == .invalid, "\(key)")
      #expect(found?.entry == entry, "\(key)")
    }
    for json in [#"{"num_beams": 4}"#, #"{"no_repeat_ngram_size": 3}"#] {
      let folder = try Fixture.changed("write-bart", ["generation_config.json": json])
      #expect(error { _ = try Generator(contentsOf: folder.path) }?.kind == .unsupported)
      _ = try Generator(contentsOf: folder.path, generation: GenerationOptions())
    }
  }

  /// A start that no file states is an error; one of config.json is used.
  @Test func starts() async throws {
    let json = #"{"eos_token_id": 1}"#
    let stated = try Fixture.changed("write-t5", ["generation_config.json": json])
    let answer = try Self.answers("write-t5")
    let text = try Generator(contentsOf: stated.path).generate(
      answer.texts[0].prompt, options: GenerationOptions(maximumTokens: answer.maximumTokens))
    #expect(try await Self.pieces(text).flatMap(\.ids) == answer.texts[0].ids)
    let none = try Fixture.configured("write-t5", ["decoder_start_token_id": nil])
    try json.write(
      to: none.url.appendingPathComponent("generation_config.json"), atomically: true,
      encoding: .utf8)
    #expect(error { _ = try Generator(contentsOf: none.path) }?.entry == "decoder_start_token_id")
    let far = try Fixture.configured("write-t5", ["decoder_start_token_id": 1 << 20])
    try json.write(
      to: far.url.appendingPathComponent("generation_config.json"), atomically: true,
      encoding: .utf8)
    let lost = try Generator(contentsOf: far.path).generate("one")
    await #expect(throws: HubError.self) { _ = try await lost.text() }
  }

  /// Each number of a configuration is replaced by others: nothing traps.
  @Test(arguments: folders) func strangeValues(_ name: String) async throws {
    let url = URL(fileURLWithPath: Fixture.path(name)).appendingPathComponent("config.json")
    let settings = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let copy = try Fixture.changed(name, [:])
    let file = copy.url.appendingPathComponent("config.json")
    var errors = 0
    for key in settings.keys.sorted() where !(settings[key] is String) {
      for value in [-1, 0, 7, 1 << 40, 0.5, "x"] as [Any] {
        var changed = settings
        changed[key] = value
        try JSONSerialization.data(withJSONObject: changed).write(to: file)
        do {
          let generator = try Generator(contentsOf: copy.path, maximumLength: 16)
          let options = GenerationOptions(maximumTokens: 2)
          _ = try await generator.generate("one", options: options).text()
        } catch {
          errors += 1
          #expect(error is HubError, "\(key): \(error)")
        }
      }
    }
    #expect(errors > 20)
  }
}
