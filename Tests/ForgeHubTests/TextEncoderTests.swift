import Forge
import ForgeHub
import Testing

/// Vectors of texts are those of sentence-transformers.
@Suite struct TextEncoderTests {
  struct Answers: Decodable {
    let texts: [String]
    let vectors: [[Float]]
    let prompts: [String: [[Float]]]
  }

  static let folders = ["sentence-mean", "sentence-modes", "sentence-cls", "sentence-roberta"]

  static func difference(_ a: [[Float]], _ b: [[Float]]) -> Float {
    guard a.map(\.count) == b.map(\.count) else { return .infinity }
    return zip(a.joined(), b.joined()).map { abs($0 - $1) }.max() ?? .infinity
  }

  @Test(arguments: folders) func vectors(_ name: String) throws {
    let answers: Answers = try Fixture.decoded("\(name)/answers.json")
    for threads in [1, 3] {
      let encoder = try TextEncoder(contentsOf: Fixture.path(name), threads: threads)
      #expect(encoder.dimensions == answers.vectors[0].count)
      #expect(Self.difference(try encoder.embed(answers.texts), answers.vectors) < 1e-5)
      for (prompt, vectors) in answers.prompts {
        let own = try encoder.embed(answers.texts, prompt: prompt)
        #expect(Self.difference(own, vectors) < 1e-5, "\(prompt)")
      }
    }
  }

  @Test func oneTextIsAsInABatch() throws {
    let answers: Answers = try Fixture.decoded("sentence-mean/answers.json")
    let encoder = try TextEncoder(contentsOf: Fixture.path("sentence-mean"))
    let batch = try encoder.embed(answers.texts)
    for (text, vector) in zip(answers.texts, batch) { #expect(try encoder.embed(text) == vector) }
    #expect(try encoder.embed([]).isEmpty)
  }

  @Test func dimensionsAreTheFirstOnes() throws {
    let answers: Answers = try Fixture.decoded("sentence-cls/answers.json")
    let path = Fixture.path("sentence-cls")
    let cut = try TextEncoder(contentsOf: path, dimensions: 5).embed(answers.texts)
    #expect(Self.difference(cut, answers.vectors.map { Array($0.prefix(5)) }) < 1e-5)
    let unit = try TextEncoder(contentsOf: path, dimensions: 5, normalizes: true)
      .embed(answers.texts)
    for (vector, cut) in zip(unit, cut) {
      #expect(abs(vector.map { $0 * $0 }.reduce(0, +) - 1) < 1e-5)
      #expect(abs(TextEncoder.cosine(vector, cut) - 1) < 1e-6)
    }
    #expect { _ = try TextEncoder(contentsOf: path, dimensions: 15) } throws: {
      ($0 as? HubError)?.kind == .invalid
    }
  }

  @Test func poolingCanBeChosen() throws {
    let path = Fixture.path("sentence-mean")
    let encoder = try TextEncoder(contentsOf: path, pooling: TextPooling(.firstToken, .mean))
    #expect(encoder.dimensions == 28)
    #expect(encoder.pooling.modes == [.firstToken, .mean])
  }

  @Test func textsAreCut() throws {
    let path = Fixture.path("sentence-mean")
    let encoder = try TextEncoder(contentsOf: path, maximumLength: 8)
    #expect(encoder.maximumLength == 8)
    let long = try encoder.embed("the quick brown fox jumps over the lazy dog")
    #expect(long.count == 14)
    #expect(try TextEncoder(contentsOf: path).maximumLength == 24)
    #expect { _ = try TextEncoder(contentsOf: path, maximumLength: 7) } throws: {
      ($0 as? HubError)?.kind == .invalid
    }
  }

  @Test func unknownPromptsAreErrors() throws {
    let encoder = try TextEncoder(contentsOf: Fixture.path("sentence-cls"))
    #expect(encoder.prompts["query"] == "the bird: ")
    #expect { _ = try encoder.embed("a", prompt: "clustering") } throws: { error in
      (error as? HubError)?.needs?.contains("query") == true
    }
  }

  /// sentence-transformers' older files have flags instead of a list of modes.
  @Test func flagsOfOlderFolders() throws {
    let answers: Answers = try Fixture.decoded("sentence-mean/answers.json")
    let old = try Fixture.changed(
      "sentence-mean",
      [
        "1_Pooling/config.json":
          #"{"word_embedding_dimension": 14, "pooling_mode_mean_tokens": true, "#
          + #""pooling_mode_cls_token": false}"#,
        "sentence_bert_config.json": #"{"max_seq_length": 20, "do_lower_case": false}"#,
      ])
    let encoder = try TextEncoder(contentsOf: old.path)
    #expect(encoder.maximumLength == 20)
    let short = answers.texts.indices.filter { answers.texts[$0].count < 20 }
    let own = try encoder.embed(short.map { answers.texts[$0] })
    #expect(Self.difference(own, short.map { answers.vectors[$0] }) < 1e-5)
  }

  /// A text without tokens has no features to pool.
  @Test func textsWithoutTokens() throws {
    let folder = try Fixture.changed(
      "sentence-mean",
      [
        "tokenizer.json": #"{"version": "1.0", "model": {"type": "WordLevel", "#
          + #""unk_token": "a", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "Whitespace"}}"#
      ])
    let encoder = try TextEncoder(contentsOf: folder.path, threads: 1)
    #expect(try encoder.embed("") == [Float](repeating: 0, count: 14))
    #expect(try encoder.embed("a").contains { $0 != 0 })
  }

  /// The tokenizer does not put texts in lowercase, the setting does.
  @Test func lowercase() throws {
    let settings = #"{"max_seq_length": 22, "do_lower_case": true}"#
    let folder = try Fixture.changed("sentence-roberta", ["sentence_bert_config.json": settings])
    let encoder = try TextEncoder(contentsOf: folder.path)
    #expect(try encoder.embed("London") == encoder.embed("london"))
    let plain = try TextEncoder(contentsOf: Fixture.path("sentence-roberta"))
    #expect(try plain.embed("London") != plain.embed("london"))
    #expect(try plain.embed("london") == encoder.embed("London"))
  }

  @Test func cosines() {
    #expect(TextEncoder.cosine([1, 0], [1, 1]) == Float(0.5).squareRoot())
    #expect(TextEncoder.cosine([0, 0], [1, 1]) == 0)
    #expect(TextEncoder.cosine([1], [1, 1]) == 0)
  }
}
