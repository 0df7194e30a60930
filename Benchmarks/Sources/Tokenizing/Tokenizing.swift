import ForgeText
import Foundation

// What Scripts/check tokenizers and Benchmarks/compare-tokenizers run: encodes the texts of a file.
//
// Usage: Tokenizing check|time TOKENIZER TEXTS [THREADS]
// TOKENIZER is a tokenizer.json, a .model of SentencePiece or a vocab.txt; TEXTS holds records of
// four bytes of length and the text in UTF-8, two for each item: the second one is missing where
// its length is 2³²−1. `check` prints one line for each item, `time` the seconds for all of them.

@main
enum Tokenizing {
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      guard arguments.count >= 3 else {
        throw Failure("Tokenizing check|time TOKENIZER TEXTS [THREADS]")
      }
      let tokenizer = try load(arguments[1])
      let items = try read(arguments[2])
      if arguments[0] == "check" {
        check(tokenizer, items)
      } else {
        try time(tokenizer, items, threads: arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1)
      }
    } catch {
      FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
      exit(1)
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// A text, or a pair of texts.
  struct Item {
    let first: String
    let second: String?
  }

  private static func load(_ path: String) throws -> Tokenizer {
    if path.hasSuffix(".model") { return try Tokenizer(sentencePiece: path) }
    if path.hasSuffix(".txt") { return try Tokenizer(bertVocabulary: path) }
    return try Tokenizer(contentsOf: path)
  }

  private static func read(_ path: String) throws -> [Item] {
    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var position = 0
    func text() throws -> String? {
      guard position + 4 <= data.count else { throw Failure("a record is cut") }
      let count = (0..<4).reduce(0) { $0 | Int(data[position + $1]) << (8 * $1) }
      position += 4
      guard count != 0xFFFF_FFFF else { return nil }
      guard position + count <= data.count else { throw Failure("a record is cut") }
      defer { position += count }
      return String(decoding: data[position..<position + count], as: UTF8.self)
    }
    var items: [Item] = []
    while position < data.count {
      guard let first = try text() else { throw Failure("a record without a text") }
      items.append(Item(first: first, second: try text()))
    }
    return items
  }

  // MARK: Checking

  private static func check(_ tokenizer: Tokenizer, _ items: [Item]) {
    var lines: [UInt8] = []
    for item in items {
      lines += line(tokenizer, item).utf8
      lines.append(0x0A)
      if lines.count > 1 << 20 {
        FileHandle.standardOutput.write(Data(lines))
        lines.removeAll(keepingCapacity: true)
      }
    }
    FileHandle.standardOutput.write(Data(lines))
  }

  /// Everything about an item, in one line.
  private static func line(_ tokenizer: Tokenizer, _ item: Item) -> String {
    do {
      let encoding =
        try item.second.map { try tokenizer.encode(item.first, $0) }
        ?? tokenizer.encode(item.first)
      let decoded = try tokenizer.decode(encoding.ids)
      return describe(encoding) + "|" + hexadecimal(decoded)
    } catch {
      return "error"
    }
  }

  private static func describe(_ encoding: TokenizedText) -> String {
    func join(_ list: some Sequence<Int>) -> String {
      list.map(String.init).joined(separator: " ")
    }
    let offsets = encoding.scalarOffsets.flatMap { [$0.lower, $0.upper] }
    let parts = [
      join(encoding.ids.map { Int($0) }), join(offsets),
      join(encoding.wordIDs.map { $0 ?? -1 }), join(encoding.sequenceIDs.map { $0 ?? -1 }),
      join(encoding.typeIDs.map { Int($0) }), join(encoding.attentionMask.map { Int($0) }),
      join(encoding.specialTokensMask.map { Int($0) }),
      encoding.tokens.map(hexadecimal).joined(separator: " "),
    ]
    return parts.joined(separator: "|")
      + encoding.overflowing.map { "#" + describe($0) }.joined()
  }

  private static func hexadecimal(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self)
  }

  // MARK: Timing

  private static func time(_ tokenizer: Tokenizer, _ items: [Item], threads: Int) throws {
    let texts = items.map(\.first)
    var best = Double.infinity
    var count = 0
    for _ in 0..<5 {
      let start = ContinuousClock.now
      count = 0
      if threads > 1 {
        for encoding in try tokenizer.encode(batch: texts, threads: threads) {
          count += encoding.count
        }
      } else {
        for text in texts { count += try tokenizer.encode(text).count }
      }
      let elapsed = ContinuousClock.now - start
      best = min(
        best,
        Double(elapsed.components.attoseconds) / 1e18
          + Double(elapsed.components.seconds))
    }
    print("\(best) \(count)")
  }
}
