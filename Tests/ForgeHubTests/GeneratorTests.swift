import Forge
import ForgeHub
import Foundation
import Testing

/// Texts are those of transformers' generate, and their tokens those of the whole network.
@Suite struct GeneratorTests {
  struct Answers: Decodable {
    struct Text: Decodable {
      let prompt: String
      let promptIDs: [Int32]
      let ids: [Int32]
      let text: String?
    }

    struct Choice: Decodable {
      let temperature: Float
      let topK: Int?
      let topP: Float?
      let penalty: Float?
      let probabilities: [String: Double]

      private enum CodingKeys: String, CodingKey {
        case temperature
        case topK = "top_k"
        case topP = "top_p"
        case penalty = "repetition_penalty"
        case probabilities
      }
    }

    let texts: [Text]
    let choices: [Choice]
  }

  static let folders = [
    "generate-gpt2", "generate-llama", "generate-qwen2", "generate-qwen3", "generate-gemma2",
    "generate-gemma3",
  ]

  private static func answers(_ name: String) throws -> Answers {
    try Fixture.decoded("\(name)/answers.json")
  }

  private static func pieces(_ text: GeneratedText) async throws -> [GeneratedPiece] {
    try await text.reduce(into: []) { $0.append($1) }
  }

  @Test(arguments: folders) func greedy(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    var compared = 0
    for answer in try Self.answers(name).texts {
      let text = try generator.generate(
        answer.prompt, options: GenerationOptions(maximumTokens: 40))
      #expect(text.promptIDs == answer.promptIDs)
      let pieces = try await Self.pieces(text)
      #expect(pieces.flatMap(\.ids) == answer.ids, "\(answer.prompt)")
      let ending = answer.ids.count < 40 ? GeneratedPiece.Ending.endOfText : .maximumTokens
      #expect(pieces.last?.ending == ending)
      #expect(pieces.dropLast().allSatisfy { $0.ending == nil && !$0.text.isEmpty })
      // Bytes that are no character are U+FFFD as they come. The library also replaces bytes before
      // them, which were characters until then.
      let scalars = pieces.map(\.text).joined().unicodeScalars
      let expected = (answer.text ?? "").unicodeScalars.prefix { $0 != "\u{FFFD}" }.dropLast()
      #expect(scalars.starts(with: expected), "\(answer.prompt)")
      compared += expected.count
    }
    #expect(compared >= 20)
  }

  /// Each token is the likeliest one by the network that reads the whole text at once.
  @Test(arguments: folders) func wholeSequences(_ name: String) async throws {
    let hub = try HubModel(contentsOf: Fixture.path(name), head: .nextToken)
    let network = try hub.model.compile()
    let generator = try Generator(contentsOf: Fixture.path(name))
    let text = try generator.generate("the quick", options: GenerationOptions(maximumTokens: 24))
    var ids = text.promptIDs
    for id in try await Self.pieces(text).flatMap(\.ids) {
      let logits = try network.predict(ids.map { Float($0) })
      #expect(logits.suffix(logits.count / ids.count).map(\.self).top(k: 1)[0].index == Int(id))
      ids.append(id)
    }
  }

  /// Prompts of several parts, up to the length of the network.
  @Test(arguments: folders) func longPrompts(_ name: String) async throws {
    let hub = try HubModel(contentsOf: Fixture.path(name), head: .nextToken)
    let network = try hub.model.compile()
    let generator = try Generator(contentsOf: Fixture.path(name))
    #expect(generator.maximumLength == 200)
    var prompt = "London"
    while try hub.encode(prompt + " a b").count < 196 { prompt += " a b" }
    let text = try generator.generate(prompt)
    #expect(text.promptIDs.count > 180)
    let pieces = try await Self.pieces(text)
    let ids = pieces.flatMap(\.ids)
    let logits = try network.predict(text.promptIDs.map { Float($0) })
    let last = Array(logits.suffix(logits.count / text.promptIDs.count))
    #expect(last.top(k: 1)[0].index == Int(try #require(ids.first)))
    let full = text.promptIDs.count + ids.count == 200
    #expect(pieces.last?.ending == (full ? .maximumLength : .endOfText))
    #expect { _ = try generator.generate(prompt + prompt) } throws: {
      ($0 as? HubError)?.entry == "prompt"
    }
  }

  // MARK: Choice

  @Test(arguments: ["generate-gpt2", "generate-llama"])
  func probabilities(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name), maximumLength: 32)
    let answers = try Self.answers(name)
    let draws = 1500
    for choice in answers.choices {
      var options = GenerationOptions(
        maximumTokens: 1, temperature: choice.temperature, topK: choice.topK, topP: choice.topP,
        repetitionPenalty: choice.penalty ?? 1)
      var counts: [Int32: Int] = [:]
      for seed in 0..<draws {
        options.seed = UInt64(seed)
        let text = try generator.generate(answers.texts[0].prompt, options: options)
        let ids = try await Self.pieces(text).flatMap(\.ids)
        try #require(ids.count == 1)
        counts[ids[0], default: 0] += 1
      }
      let expected = choice.probabilities
      #expect(counts.keys.allSatisfy { expected["\($0)"] != nil })
      // Pearson's test over the tokens that should come at least five times, and all others.
      var (statistic, freedom, rest, restCount) = (0.0, 0.0, 1.0, draws)
      for (id, probability) in expected where probability * Double(draws) >= 5 {
        let count = counts[Int32(id) ?? -1] ?? 0
        let mean = probability * Double(draws)
        statistic += (Double(count) - mean) * (Double(count) - mean) / mean
        freedom += 1
        rest -= probability
        restCount -= count
      }
      if rest * Double(draws) >= 5 {
        let mean = rest * Double(draws)
        statistic += (Double(restCount) - mean) * (Double(restCount) - mean) / mean
      } else {
        #expect(restCount <= 25)
      }
      // Six deviations above the mean of the distribution.
      #expect(statistic <= freedom + 6 * (2 * freedom).squareRoot() + 6, "\(choice)")
    }
  }

  @Test func seedsRepeat() async throws {
    let generator = try Generator(contentsOf: Fixture.path("generate-gpt2"))
    var options = GenerationOptions(maximumTokens: 30, temperature: 2, seed: 5)
    let text = try generator.generate("Ada", options: options)
    let first = try await Self.pieces(text)
    #expect(try await Self.pieces(text) == first)
    #expect(try await Self.pieces(generator.generate("Ada", options: options)) == first)
    options.seed = 6
    #expect(try await Self.pieces(generator.generate("Ada", options: options)) != first)
  }

  // MARK: Endings

  /// Wherever a stop text comes, the text is what stands before it.
  @Test(arguments: folders) func stopTexts(_ name: String) async throws {
    let generator = try Generator(contentsOf: Fixture.path(name))
    let whole = try await generator.generate("Ada", options: GenerationOptions(maximumTokens: 40))
      .text()
    let characters = Array(whole.unicodeScalars)
    try #require(characters.count > 12)
    for (start, length) in [(0, 1), (3, 4), (7, 2), (characters.count - 2, 2), (5, 6)] {
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: characters[start..<start + length])
      let stop = String(scalars)
      let options = GenerationOptions(maximumTokens: 40, stopTexts: ["never there", stop])
      let pieces = try await Self.pieces(generator.generate("Ada", options: options))
      let end = try #require(
        whole.utf8.indices.first { whole.utf8[$0...].starts(with: stop.utf8) })
      #expect(pieces.map(\.text).joined() == String(whole[..<end]), "\(stop)")
    }
    let options = GenerationOptions(maximumTokens: 40, stopTexts: [whole + "!"])
    #expect(try await generator.generate("Ada", options: options).text() == whole)
  }

  @Test func cancellation() async throws {
    let generator = try Generator(contentsOf: Fixture.path("generate-qwen2"))
    let text = try generator.generate("Ada", options: GenerationOptions(temperature: 1, seed: 1))
    let task = Task { () -> (Int, Bool) in
      var count = 0
      do {
        for try await piece in text {
          count += 1
          #expect(piece.ending == nil)
          if count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      } catch { return (count, error is CancellationError) }
      return (count, false)
    }
    let (count, isCanceled) = await task.value
    #expect(count == 2)
    #expect(isCanceled)
  }

  /// Texts that are written at the same time do not see each other.
  @Test func manyAtOnce() async throws {
    for streams in [1, 3] {
      let generator = try Generator(contentsOf: Fixture.path("generate-llama"), streams: streams)
      let answers = try Self.answers("generate-llama").texts
      try await withThrowingTaskGroup(of: Void.self) { group in
        for answer in answers + answers {
          group.addTask {
            let options = GenerationOptions(maximumTokens: 40)
            let text = try generator.generate(answer.prompt, options: options)
            #expect(try await Self.pieces(text).flatMap(\.ids) == answer.ids)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  // MARK: Settings

  @Test func optionsOfTheFolder() throws {
    let settings =
      #"{"do_sample": true, "temperature": 0.6, "top_p": 0.95, "top_k": 20, "#
      + #""max_new_tokens": 9, "repetition_penalty": 1.5, "eos_token_id": [2, 7]}"#
    let folder = try Fixture.changed("generate-llama", ["generation_config.json": settings])
    let options = try Generator(contentsOf: folder.path).options
    #expect(
      options
        == GenerationOptions(
          maximumTokens: 9, temperature: 0.6, topK: 20, topP: 0.95, repetitionPenalty: 1.5))
    let plain = try Fixture.changed("generate-llama", ["generation_config.json": nil])
    #expect(try Generator(contentsOf: plain.path).options == GenerationOptions())
    let sampling = try Fixture.changed(
      "generate-llama", ["generation_config.json": #"{"do_sample": true}"#])
    #expect(try Generator(contentsOf: sampling.path).options.topK == 50)
  }

  @Test(arguments: [
    #"{"num_beams": 4}"#, #"{"no_repeat_ngram_size": 2}"#, #"{"min_p": 0.1}"#,
    #"{"suppress_tokens": [1]}"#, #"{"stop_strings": ["x"]}"#, #"{"guidance_scale": "x"}"#,
  ])
  func settingsThatForgeLacks(_ json: String) throws {
    let folder = try Fixture.changed("generate-llama", ["generation_config.json": json])
    #expect { _ = try Generator(contentsOf: folder.path) } throws: {
      ($0 as? HubError)?.kind == .unsupported
    }
    _ = try Generator(contentsOf: folder.path, generation: GenerationOptions())
  }

  @Test(arguments: [
    GenerationOptions(maximumTokens: 0), GenerationOptions(temperature: -1),
    GenerationOptions(temperature: .nan), GenerationOptions(temperature: 1, topK: 0),
    GenerationOptions(temperature: 1, topP: 0), GenerationOptions(temperature: 1, topP: 1.5),
    GenerationOptions(temperature: 1, topP: .nan), GenerationOptions(repetitionPenalty: 0),
    GenerationOptions(repetitionPenalty: .infinity), GenerationOptions(stopTexts: ["a", ""]),
  ])
  func optionsOutOfRange(_ options: GenerationOptions) throws {
    let generator = try Generator(contentsOf: Fixture.path("generate-gpt2"))
    #expect { _ = try generator.generate("a", options: options) } throws: {
      ($0 as? HubError)?.kind == .invalid
    }
  }

  @Test func networksThatDoNotWrite() throws {
    #expect { _ = try Generator(contentsOf: Fixture.path("sentence-mean")) } throws: { error in
      let error = error as? HubError
      return error?.kind == .unsupported && error?.entry == "model_type"
    }
    #expect { _ = try Generator(contentsOf: Fixture.path("gpt2-next")) } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
  }

  /// A prompt without tokens begins with the folder's first token, or is an error.
  @Test func emptyPrompts() async throws {
    let generator = try Generator(contentsOf: Fixture.path("generate-gpt2"))
    #expect(try generator.generate("").promptIDs == [0])
    let folder = try Fixture.configured("generate-gpt2", ["bos_token_id": nil])
    try "{}".write(
      to: folder.url.appendingPathComponent("generation_config.json"), atomically: true,
      encoding: .utf8)
    let other = try Generator(contentsOf: folder.path)
    #expect { _ = try other.generate("") } throws: { ($0 as? HubError)?.kind == .invalid }
  }
}
