import ForgeText
import Foundation
import Testing

/// What a program does with a tokenizer.
struct TokenizerTests {
  @Test("a sentence of BERT")
  func sentence() throws {
    let tokenizer = try Fixture.tokenizer("bert-uncased.json")
    let encoding = try tokenizer.encode("The License!")
    #expect(encoding.tokens.first == "[CLS]")
    #expect(encoding.tokens.last == "[SEP]")
    #expect(encoding.count == encoding.ids.count)
    #expect(try tokenizer.decode(encoding.ids).hasPrefix("the"))
    #expect(tokenizer.id(of: "[CLS]") == encoding.ids[0])
    #expect(tokenizer.token(encoding.ids[0]) == "[CLS]")
    #expect(tokenizer.id(of: "no such token") == nil)
    #expect(tokenizer.token(.max) == nil)
    #expect(try tokenizer.encode("The License!", addsTokens: false).count == encoding.count - 2)
  }

  @Test("offsets in bytes and in scalars point at the same text")
  func offsets() throws {
    let tokenizer = try Fixture.tokenizer("bert-uncased.json")
    let text = "Größe 漢字 e\u{301} 😀!"
    let encoding = try tokenizer.encode(text)
    let bytes = Array(text.utf8)
    let scalars = Array(text.unicodeScalars)
    for (byte, scalar) in zip(encoding.byteOffsets, encoding.scalarOffsets) {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[scalar.range])
      #expect(Array(bytes[byte.range]) == Array(String(view).utf8))
    }
    #expect(encoding.byteOffsets != encoding.scalarOffsets)
  }

  @Test("bytes that are not UTF-8 are an error, UTF-8 is encoded", arguments: [0xFF, 0xC0, 0xED])
  func malformed(byte: UInt8) throws {
    let tokenizer = try Fixture.tokenizer("gpt2.json")
    #expect(throws: TokenizerError.self) { try tokenizer.encode(utf8: [0x61, byte, 0xA0, 0x80]) }
    #expect(try tokenizer.encode(utf8: Array("é!".utf8)) == tokenizer.encode("é!"))
  }

  @Test("words that were split before keep their numbers")
  func words() throws {
    let tokenizer = try Fixture.tokenizer("bert-uncased.json")
    let encoding = try tokenizer.encode(words: ["License", "x-y", "the"], addsTokens: false)
    let words = encoding.wordIDs.compactMap { $0 }
    #expect(words == words.sorted())
    #expect(Set(words) == [0, 1, 2])
  }

  @Test("a batch on threads is what each text is alone, filled up to one length")
  func batch() throws {
    var tokenizer = try Fixture.tokenizer("llama3.json")
    let texts = LibraryAnswersTests.texts ?? []
    let alone = try texts.map { try tokenizer.encode($0) }
    #expect(try tokenizer.encode(batch: texts, threads: 4) == alone)
    #expect(try tokenizer.encode(batch: texts, threads: 1) == alone)
    #expect(try tokenizer.encode(batch: []).isEmpty)
    tokenizer.padding = TokenPadding(multiple: 8, side: .left, id: 3, typeID: 1, token: "<pad>")
    let filled = try tokenizer.encode(batch: texts, threads: 3)
    #expect(Set(filled.map(\.count)).count == 1)
    #expect(filled[0].count % 8 == 0)
    #expect(filled[1].ids.suffix(alone[1].count) == alone[1].ids[...])
    #expect(filled[1].attentionMask.reduce(0, +) == Int32(alone[1].count))
    let pairs = try tokenizer.encode(pairs: [("a", "b"), ("c", "d")])
    #expect(pairs[0].sequenceIDs.contains(1))
  }

  @Test("the first error of a batch is thrown")
  func batchError() throws {
    let bytes = Fixture.json(["a"])
    let tokenizer = try Tokenizer(json: bytes)
    #expect(throws: TokenizerError.self) {
      try tokenizer.encode(batch: [String](repeating: "b", count: 100), threads: 4)
    }
  }

  @Test(
    "tokens that arrive one by one give the whole text", arguments: ["gpt2", "llama2", "llama3"])
  func stream(name: String) throws {
    let tokenizer = try Fixture.tokenizer("\(name).json")
    for text in ["Größe 漢字 👨‍👩‍👧‍👦 the end", "日本語", "a b  c", "e\u{301}"] {
      let ids = try tokenizer.encode(text, addsTokens: false).ids
      var stream = tokenizer.decodeStream()
      var parts: [String] = []
      for id in ids {
        if let part = try stream.append(id) {
          #expect(!part.hasSuffix("\u{FFFD}"))
          parts.append(part)
        }
      }
      let whole = parts.joined() + stream.finish()
      #expect(Array(whole.utf8) == Array(try tokenizer.decode(ids).utf8))
    }
  }

  @Test("what is held back is given in the end")
  func held() throws {
    let tokenizer = try Fixture.tokenizer("gpt2.json")
    let ids = try tokenizer.encode("漢").ids
    try #require(ids.count > 1)
    var stream = tokenizer.decodeStream()
    #expect(try stream.append(ids[0]) == nil)
    #expect(stream.finish() == "\u{FFFD}")
  }

  @Test("truncation cuts, with a stride and from either side")
  func truncation() throws {
    var tokenizer = try Fixture.tokenizer("gpt2.json")
    let all = try tokenizer.encode("a b c d e f g h").ids
    tokenizer.truncation = TokenTruncation(length: 5, stride: 2)
    let cut = try tokenizer.encode("a b c d e f g h")
    #expect(cut.ids == Array(all[..<5]))
    #expect(cut.overflowing[0].ids == Array(all[3..<8]))
    tokenizer.truncation = TokenTruncation(length: 5, side: .left)
    #expect(try tokenizer.encode("a b c d e f g h").ids == Array(all.suffix(5)))
    tokenizer.truncation = TokenTruncation(length: 0)
    #expect(try tokenizer.encode("a b").count == 0)
    tokenizer.truncation = TokenTruncation(length: 4, strategy: .onlySecond)
    #expect(try tokenizer.encode("a b", "c d e f").count == 4)
    #expect(throws: TokenizerError.self) { try tokenizer.encode("a b c d e f") }
    #expect(throws: TokenizerError.self) { try tokenizer.encode("a b c d e f", "g") }
    tokenizer.truncation = TokenTruncation(length: 3, stride: 3)
    #expect(throws: TokenizerError.self) { try tokenizer.encode("a b c d e f") }
  }

  @Test("vocab.txt makes the tokenizer of BERT")
  func bertVocabulary() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())-vocab.txt")
    defer { try? FileManager.default.removeItem(at: path) }
    try Data("[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nclou\n##d\n!\n".utf8).write(to: path)
    let tokenizer = try Tokenizer(bertVocabulary: path.path)
    let encoding = try tokenizer.encode("The CLOUD! é")
    #expect(encoding.tokens == ["[CLS]", "the", "clou", "##d", "!", "[UNK]", "[SEP]"])
    #expect(try tokenizer.decode(encoding.ids) == "the cloud!")
    try Data("[PAD]\n[CLS]\n[SEP]\n".utf8).write(to: path)
    #expect(throws: TokenizerError.self) { try Tokenizer(bertVocabulary: path.path) }
  }

  @Test("vocab.json and merges.txt are those of a tokenizer.json")
  func vocabularyAndMerges() throws {
    let json = try JSONSerialization.jsonObject(with: Data(Fixture.bytes("gpt2.json")))
    let model = try #require((json as? [String: Any])?["model"] as? [String: Any])
    let vocabulary = try #require(model["vocab"])
    let merges = try #require(model["merges"] as? [[String]])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, second) = (
      folder.appendingPathComponent("vocab.json"), folder.appendingPathComponent("merges.txt")
    )
    try JSONSerialization.data(withJSONObject: vocabulary).write(to: first)
    let lines = ["#version: 0.2"] + merges.map { $0.joined(separator: " ") }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: second)
    let tokenizer = try Tokenizer(vocabulary: first.path, merges: second.path)
    let expected = try Fixture.tokenizer("gpt2.json")
    for text in (LibraryAnswersTests.texts ?? []) where !text.contains("<|") {
      #expect(try tokenizer.encode(text).ids == expected.encode(text).ids)
    }
  }

  @Test("a SentencePiece model refuses ids that it does not have")
  func sentencePieceIds() throws {
    let tokenizer = try Fixture.tokenizer("spm-bpe.model")
    #expect(throws: TokenizerError.self) { try tokenizer.decode([1 << 20]) }
    #expect(throws: TokenizerError.self) { try tokenizer.decode([-1]) }
    #expect(try tokenizer.decode(tokenizer.encode("a  b").ids) == "a  b")
  }
}
