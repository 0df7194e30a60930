import ForgeText
import Foundation
import Testing

/// What the libraries answered; Scripts/references/make_tokenizer_fixtures.py wrote it.
struct LibraryAnswersTests {
  struct Answers: Decodable {
    /// FNV-1a of each line, 16 digits each.
    let hashes: String
    /// Some lines, by the number of their text.
    let full: [String: String]
  }

  static let texts = decoded([String].self, "texts.json")
  static let answers = decoded([String: Answers].self, "answers.json")

  static func decoded<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    guard let data = FileManager.default.contents(atPath: Fixture.path(name)) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }

  @Test("all tokenizers are there")
  func count() {
    #expect(Self.answers?.count == 21)
    #expect(Self.texts?.count ?? 0 > 400)
  }

  @Test(
    "ids, offsets, words, masks, tokens and texts are those of the library",
    arguments: answers?.keys.sorted() ?? [])
  func lines(name: String) throws {
    let answers = try #require(Self.answers?[name])
    let texts = try #require(Self.texts)
    let tokenizer = try Fixture.tokenizer(name)
    let hasPairs = !name.hasSuffix(".model")
    let hashes = Array(answers.hashes.utf8)
    for (index, text) in texts.enumerated() {
      let expected = String(decoding: hashes[16 * index..<16 * index + 16], as: UTF8.self)
      let second = hasPairs && index % 8 == 7 ? texts[3 * index % texts.count] : nil
      // The library stops where a stride leaves no token.
      guard expected.first != "-" else {
        #expect(throws: TokenizerError.self) { try self.line(tokenizer, text, second) }
        continue
      }
      let line = try self.line(tokenizer, text, second)
      if let full = answers.full["\(index)"] { #expect(line == full, "text \(index)") }
      #expect(Fixture.hash(line) == expected, "text \(index) of \(name): \(text.debugDescription)")
    }
  }

  // The same line as Benchmarks/Sources/Tokenizing prints.
  private func line(_ tokenizer: Tokenizer, _ text: String, _ second: String?) throws -> String {
    let encoding =
      try second.map { try tokenizer.encode(text, $0) } ?? tokenizer.encode(text)
    return described(encoding) + "|" + hexadecimal(try tokenizer.decode(encoding.ids))
  }

  private func described(_ encoding: TokenizedText) -> String {
    func join(_ list: [Int]) -> String { list.map(String.init).joined(separator: " ") }
    return [
      join(encoding.ids.map { Int($0) }),
      join(encoding.scalarOffsets.flatMap { [$0.lower, $0.upper] }),
      join(encoding.wordIDs.map { $0 ?? -1 }), join(encoding.sequenceIDs.map { $0 ?? -1 }),
      join(encoding.typeIDs.map { Int($0) }), join(encoding.attentionMask.map { Int($0) }),
      join(encoding.specialTokensMask.map { Int($0) }),
      encoding.tokens.map(hexadecimal).joined(separator: " "),
    ].joined(separator: "|") + encoding.overflowing.map { "#" + described($0) }.joined()
  }

  private func hexadecimal(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
