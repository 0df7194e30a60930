import ForgeText
import Foundation

/// The files of Fixtures.
enum Fixture {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static func bytes(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: path(name)).map { [UInt8]($0) } ?? []
  }

  /// A tokenizer by the name of its file.
  static func tokenizer(_ name: String) throws(TokenizerError) -> Tokenizer {
    name.hasSuffix(".model")
      ? try Tokenizer(sentencePiece: path(name)) : try Tokenizer(contentsOf: path(name))
  }

  /// FNV-1a of 64 bits, in 16 digits.
  static func hash(_ text: String) -> String {
    let value = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A tokenizer.json of words, with parts that a test states.
  static func json(
    _ vocabulary: [String], model: String = "", parts: [String: String] = [:]
  ) -> [UInt8] {
    let entries = vocabulary.enumerated().map { index, token in
      "\"\(token)\": \(index)"
    }
    var text = "{\"version\": \"1.0\", \"model\": {\"type\": \"WordLevel\", "
    text += "\"unk_token\": \"[UNK]\", \"vocab\": {\(entries.joined(separator: ", "))}}"
    if !model.isEmpty { text = "{\"version\": \"1.0\", \"model\": \(model)" }
    for (name, part) in parts.sorted(by: { $0.key < $1.key }) { text += ", \"\(name)\": \(part)" }
    return Array((text + "}").utf8)
  }
}
