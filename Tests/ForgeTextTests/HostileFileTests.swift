import ForgeText
import Foundation
import Testing

/// Files made to end the process, or to take its memory or time.
struct HostileFileTests {
  private static let names = [
    "bert-uncased.json", "gpt2.json", "clip.json", "llama2.json", "xlm-roberta.json",
    "wordlevel-contiguous.json", "deepseek.json", "roberta.json", "spm-bpe.model",
    "spm-unigram-cf.model",
  ]

  /// Reads a file, and if it is accepted encodes and decodes with it.
  private static func use(_ bytes: [UInt8], isModel: Bool) throws {
    do throws(TokenizerError) {
      let limits = TokenizerLimits(fileBytes: 4 << 20, patternSteps: 1 << 16, textBytes: 1 << 20)
      let tokenizer =
        isModel
        ? try Tokenizer(sentencePiece: bytes, limits: limits)
        : try Tokenizer(json: bytes, limits: limits)
      for text in ["", "The  Größe 漢字 don't\n123 <mask>", "a\u{301} 😀"] {
        let encoding = try tokenizer.encode(text, "pair")
        _ = try tokenizer.decode(encoding.ids)
      }
    } catch { #expect(!error.description.isEmpty) }
  }

  @Test("files that are cut give typed errors", arguments: names)
  func cut(name: String) throws {
    let bytes = Fixture.bytes(name)
    try #require(!bytes.isEmpty)
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
      let part = Array(bytes[..<count])
      if name.hasSuffix(".json") {
        #expect(throws: TokenizerError.self) { try Tokenizer(json: part) }
      } else {
        try Self.use(part, isModel: true)
      }
    }
  }

  @Test("files with other bytes give typed errors or work", arguments: names)
  func altered(name: String) throws {
    let bytes = Fixture.bytes(name)
    try #require(!bytes.isEmpty)
    var generator = SplitMix(state: 55)
    for round in 0..<60 {
      var other = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        // The structure is at the beginning and the end, the vocabulary between them.
        let index =
          round.isMultiple(of: 2)
          ? Int.random(in: 0..<bytes.count, using: &generator)
          : Int.random(in: 0..<min(2000, bytes.count), using: &generator)
        other[index] =
          round.isMultiple(of: 3)
          ? UInt8.random(in: 0...255, using: &generator)
          : Array("0123456789{}[],:\"\\nulltruefas".utf8).randomElement(using: &generator) ?? 0
      }
      try Self.use(other, isModel: name.hasSuffix(".model"))
    }
  }

  @Test("a value of any other type is an error")
  func types() throws {
    let values = ["null", "true", "-1", "1e999", "4294967296", "\"x\"", "[]", "{}", "[[[]]]"]
    let parts = [
      "normalizer", "pre_tokenizer", "post_processor", "decoder", "added_tokens", "truncation",
      "padding", "version",
    ]
    for part in parts {
      for value in values where value != "null" && !(part == "added_tokens" && value == "[]") {
        let bytes = Fixture.json(["[UNK]"], parts: [part == "version" ? "version" : part: value])
        #expect(throws: TokenizerError.self, "\(part): \(value)") { try Tokenizer(json: bytes) }
      }
    }
    for id in ["-1", "2147483648", "99999999999999999999", "1.5", "\"1\"", "null", "[]"] {
      let model = "{\"type\": \"WordLevel\", \"unk_token\": \"a\", \"vocab\": {\"a\": \(id)}}"
      #expect(throws: TokenizerError.self, "\(id)") {
        try Tokenizer(json: Fixture.json([], model: model))
      }
    }
  }

  @Test("a huge id takes no memory")
  func hugeID() throws {
    let model =
      "{\"type\": \"WordLevel\", \"unk_token\": \"a\", \"vocab\": {\"a\": 2147483646, \"b\": 7}}"
    let tokenizer = try Tokenizer(json: Fixture.json([], model: model))
    #expect(try tokenizer.encode("zzz").ids == [2_147_483_646])
    #expect(try tokenizer.decode([2_147_483_646, 7, 8]) == "a b")
  }

  @Test("deep nesting is an error, whatever is nested")
  func depth() {
    let count = 200_000
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let text =
        String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
      #expect(throws: TokenizerError.self) { try Tokenizer(json: Array(text.utf8)) }
    }
    var part = "{\"type\": \"Lowercase\"}"
    for _ in 0..<60 { part = "{\"type\": \"Sequence\", \"normalizers\": [\(part)]}" }
    #expect(throws: TokenizerError.self) {
      try Tokenizer(json: Fixture.json(["[UNK]"], parts: ["normalizer": part]))
    }
  }

  @Test("more parts than the limit are an error")
  func parts() {
    let list = [String](repeating: "{\"type\": \"Lowercase\"}", count: 1000).joined(separator: ",")
    let bytes = Fixture.json(
      ["[UNK]"], parts: ["normalizer": "{\"type\": \"Sequence\", \"normalizers\": [\(list)]}"])
    #expect { try Tokenizer(json: bytes) } throws: {
      ($0 as? TokenizerError)?.kind == .tooLarge
    }
  }

  @Test("a million merges are read, those that lead nowhere are errors")
  func merges() throws {
    var vocabulary = ["\"a\": 0"]
    var merges: [String] = []
    for index in 1...1000 {
      vocabulary.append("\"\(String(repeating: "a", count: index + 1))\": \(index)")
    }
    for round in 0..<1_000_000 {
      let left = round % 500 + 1
      merges.append("[\"\(String(repeating: "a", count: left))\",\"a\"]")
    }
    let model =
      "{\"type\": \"BPE\", \"vocab\": {\(vocabulary.joined(separator: ","))}, "
      + "\"merges\": [\(merges.joined(separator: ","))]}"
    let limits = TokenizerLimits(fileBytes: 1 << 30)
    let tokenizer = try Tokenizer(json: Fixture.json([], model: model), limits: limits)
    let long = String(repeating: "a", count: 100_000)
    #expect(try tokenizer.encode(long).count < 100_000)
    let wrong = "{\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [[\"a\", \"a\"]]}"
    #expect(throws: TokenizerError.self) { try Tokenizer(json: Fixture.json([], model: wrong)) }
  }

  @Test("tokens of a million characters do not make the search quadratic")
  func longTokens() throws {
    let long = String(repeating: "a", count: 1_000_000) + "b"
    let text = String(repeating: "a", count: 200_000)
    let models = [
      "{\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"a\", -1], [\"\(long)\", -1]]}",
      "{\"type\": \"WordPiece\", \"unk_token\": \"a\", \"continuing_subword_prefix\": \"\", "
        + "\"max_input_chars_per_word\": 9000000, \"vocab\": {\"a\": 0, \"\(long)\": 1}}",
    ]
    for model in models {
      let tokenizer = try Tokenizer(json: Fixture.json([], model: model))
      #expect { try tokenizer.encode(text) } throws: {
        ($0 as? TokenizerError)?.kind == .tooManySteps
      }
      #expect(try tokenizer.encode("aaa").count > 0)
    }
    let token =
      "[{\"id\": 9, \"content\": \"\(long)\", \"single_word\": false, \"lstrip\": false, "
      + "\"rstrip\": false, \"normalized\": false, \"special\": true}]"
    let tokenizer = try Tokenizer(json: Fixture.json(["[UNK]"], parts: ["added_tokens": token]))
    #expect { try tokenizer.encode(text) } throws: {
      ($0 as? TokenizerError)?.kind == .tooManySteps
    }
  }

  @Test("replacements that grow without end are errors")
  func growth() throws {
    let content = String(repeating: "x", count: 100_000)
    let part =
      "{\"type\": \"Replace\", \"pattern\": {\"String\": \"x\"}, \"content\": \"\(content)\"}"
    let list = [String](repeating: part, count: 4).joined(separator: ",")
    let normalizer = "{\"type\": \"Sequence\", \"normalizers\": [\(list)]}"
    let bytes = Fixture.json(["[UNK]"], parts: ["normalizer": normalizer])
    let tokenizer = try Tokenizer(json: bytes)
    #expect { try tokenizer.encode("x") } throws: {
      ($0 as? TokenizerError)?.kind == .invalidText
    }
  }

  @Test("limits on files, tokens and texts hold")
  func limits() throws {
    let bytes = Fixture.bytes("bert-uncased.json")
    for limits in [
      TokenizerLimits(fileBytes: 100), TokenizerLimits(tokens: 10), TokenizerLimits(parts: 1),
    ] {
      #expect { try Tokenizer(json: bytes, limits: limits) } throws: {
        ($0 as? TokenizerError)?.kind == .tooLarge
      }
    }
    let tokenizer = try Tokenizer(json: bytes, limits: TokenizerLimits(textBytes: 10))
    #expect { try tokenizer.encode("more than ten bytes") } throws: {
      ($0 as? TokenizerError)?.kind == .invalidText
    }
  }

  @Test("a path that leads nowhere says so")
  func paths() {
    #expect { try Tokenizer(contentsOf: "/nowhere/tokenizer.json") } throws: {
      ($0 as? TokenizerError)?.kind == .fileMissing
    }
    #expect { try Tokenizer(contentsOf: "/") } throws: {
      ($0 as? TokenizerError)?.kind == .unreadable
    }
    #expect { try Tokenizer(contentsOf: Fixture.path("texts.json")) } throws: {
      ($0 as? TokenizerError)?.path?.hasSuffix("texts.json") == true
    }
  }

  @Test("a long text of a pair with a stride does not fall into too many parts")
  func strides() throws {
    var tokenizer = try Fixture.tokenizer("gpt2.json")
    tokenizer.truncation = TokenTruncation(length: 8, stride: 3)
    let long = String(repeating: "a b ", count: 20_000)
    #expect { try tokenizer.encode(long, long) } throws: {
      ($0 as? TokenizerError)?.kind == .truncation
    }
  }
}

/// A generator with a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
