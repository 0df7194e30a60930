import ForgeText
import Foundation
import Testing

/// Patterns of Split: what matches, what is refused, what explodes.
struct PatternTests {
  /// The pieces into which a pattern splits a text; each is a word of its own.
  private func split(
    _ pattern: String, _ text: String, behavior: String = "Isolated", invert: Bool = false,
    limits: TokenizerLimits = TokenizerLimits()
  ) throws -> [String] {
    let data = try JSONSerialization.data(withJSONObject: ["Regex": pattern])
    let part =
      "{\"type\": \"Split\", \"pattern\": \(String(decoding: data, as: UTF8.self)), "
      + "\"behavior\": \"\(behavior)\", \"invert\": \(invert)}"
    let bytes = Fixture.json(["[UNK]"], parts: ["pre_tokenizer": part])
    let encoding = try Tokenizer(json: bytes, limits: limits).encode(text)
    let utf8 = Array(text.utf8)
    return encoding.byteOffsets.map { String(decoding: utf8[$0.range], as: UTF8.self) }
  }

  // The expected pieces are those of PyPI's tokenizers.
  static let cases: [(String, String, [String])] = [
    (#"\d+"#, "a12b3", ["a", "12", "b", "3"]),
    (#"\p{N}{1,3}"#, "12345", ["123", "45"]),
    (#"a{2}"#, "aaaaa", ["aa", "aa", "a"]),
    (#"a+?b"#, "aab", ["aab"]),
    (#"[a-c&&[^b]]+"#, "abcb", ["a", "b", "c", "b"]),
    (#"[^\s\p{L}]+"#, "a!? b", ["a", "!?", " b"]),
    (#"\s+(?!\S)|\s+"#, "a   b", ["a", "  ", " ", "b"]),
    (#"(?i:'s|'ll)"#, "it'S we'LL", ["it", "'S", " we", "'LL"]),
    (#"(?<=a)b"#, "abcb", ["a", "b", "cb"]),
    (#"(?<!a)b"#, "abcb", ["abc", "b"]),
    (#"(?>a+)ab|a"#, "aaab", ["a", "a", "a", "b"]),
    (#"a++b|a"#, "aac", ["a", "a", "c"]),
    (#"\bx\b"#, "x xx x", ["x", " xx ", "x"]),
    (#"^a"#, "a\na", ["a", "\n", "a"]),
    (#"a$"#, "a\na", ["a", "\n", "a"]),
    (#"\Aa|b\z"#, "aab", ["a", "a", "b"]),
    (#"(?:ab|a)(?:c|bcd)"#, "abcd", ["abc", "d"]),
    (#"(ab)+c"#, "ababc", ["ababc"]),
    (#"(?:ab){2,3}"#, "ababababab", ["ababab", "abab"]),
    (#"."#, "a\nb", ["a", "\n", "b"]),
    (#"(?m:.)"#, "a\nb", ["a", "\n", "b"]),
    (#"[[:punct:]]"#, "a$b.", ["a", "$", "b", "."]),
    (#"\p{Han}+"#, "a漢字b", ["a", "漢字", "b"]),
    (#"\p{^L}"#, "a1b", ["a", "1", "b"]),
    (#"\P{L}"#, "a1b", ["a", "1", "b"]),
    (#"\x41|\u0042|\x{43}"#, "ABCD", ["A", "B", "C", "D"]),
    (#"[\]\-x]"#, "a]-x", ["a", "]", "-", "x"]),
  ]

  @Test("pieces are those of the library", arguments: cases)
  func pieces(pattern: String, text: String, expected: [String]) throws {
    #expect(try split(pattern, text) == expected)
  }

  @Test(
    "behaviors treat matches as they say",
    arguments: [
      ("Removed", ["the", "final", "countdown"]),
      ("Isolated", ["the", "-", "final", "-", "-", "countdown"]),
      ("MergedWithPrevious", ["the-", "final-", "-", "countdown"]),
      ("MergedWithNext", ["the", "-final", "-", "-countdown"]),
      ("Contiguous", ["the", "-", "final", "--", "countdown"]),
    ])
  func behaviors(behavior: String, expected: [String]) throws {
    #expect(try split("-", "the-final--countdown", behavior: behavior) == expected)
  }

  @Test("an inverted pattern keeps what matches")
  func inverted() throws {
    #expect(try split(#"\w+"#, "a, b", behavior: "Removed", invert: true) == ["a", "b"])
  }

  @Test(
    "what is not supported is refused by name",
    arguments: [
      #"(a)\1"#, #"\k<x>"#, #"\g<0>"#, #"(?x)a"#, #"(?<=ab)c"#, #"\X"#, #"\R"#, #"\p{Nonsense}"#,
      #"[[:alpha:]]"#, #"(a*)*"#, #"(?:a?)+"#, #"a{3}?"#, #"(?i)é"#, #"(?i)ss"#, #"a{2000}"#,
      #"(?(1)a|b)"#,
    ])
  func refused(pattern: String) {
    #expect { try split(pattern, "a") } throws: {
      ($0 as? TokenizerError)?.kind == .unsupported
        && ($0 as? TokenizerError)?.description.contains("pattern") == true
    }
  }

  @Test(
    "what is not a pattern is an error",
    arguments: ["(", ")", "[", "a)", "[z-a]", "*", #"\"#, "a{3,1}", "(?<n", "(?", #"\x{110000}"#])
  func damaged(pattern: String) {
    #expect(throws: TokenizerError.self) { try split(pattern, "a") }
  }

  @Test(
    "patterns that explode end in an error",
    arguments: [#"(a+)+b"#, #"(a|aa)+c"#, #"(?:a+a+)+b"#, #"(?:a|a|a|a)+?b"#])
  func explosion(pattern: String) {
    let limits = TokenizerLimits(patternSteps: 1 << 20)
    let text = String(repeating: "a", count: 60)
    #expect { try split(pattern, text, limits: limits) } throws: {
      ($0 as? TokenizerError)?.kind == .tooManySteps
    }
  }

  @Test("deep nesting and long repetition are errors")
  func size() {
    let deep = String(repeating: "(", count: 10_000) + "a" + String(repeating: ")", count: 10_000)
    #expect(throws: TokenizerError.self) { try split(deep, "a") }
    #expect { try split("((a{100}){100}){100}", "a") } throws: {
      ($0 as? TokenizerError)?.kind == .tooLarge
    }
  }
}
