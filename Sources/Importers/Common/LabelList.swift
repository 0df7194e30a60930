/// The class labels that a text holds: a list of texts, or a dictionary from numbers to texts, as
/// JSON or Python writes them.
///
/// ```
/// ["cat", "dog"]
/// {0: 'cat', 1: "dog's"}
/// {"0": "cat", "1": "dog"}
/// ```
struct LabelList {
  /// The labels in the order of their numbers.
  let labels: [String]

  /// The most labels that are read.
  private static let most = 1 << 20

  /// Reads a text.
  ///
  /// - Returns: `nil` if the text is nothing of the kind, has no labels, or has numbers that do not
  ///   count from 0.
  init?(_ text: String) {
    var reader = Reader(text)
    let read = reader.skip("{") ? reader.dictionary() : reader.skip("[") ? reader.list() : nil
    guard let read, !read.isEmpty, reader.isAtEnd else { return nil }
    labels = read
  }

  /// A position in the bytes of a text.
  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Whether only white space is left.
    var isAtEnd: Bool { bytes[position...].allSatisfy(Self.isSpace) }

    /// Skips white space, and a character if it is there; returns whether it is.
    mutating func skip(_ character: Character) -> Bool {
      while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
      guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
      position += 1
      return true
    }

    /// The texts of a list behind its bracket.
    mutating func list() -> [String]? {
      var texts: [String] = []
      while !skip("]") {
        guard texts.isEmpty || skip(","), texts.count < LabelList.most else { return nil }
        // Python allows a comma behind the last.
        if !texts.isEmpty, skip("]") { break }
        guard let text = text() else { return nil }
        texts.append(text)
      }
      return texts
    }

    /// The texts of a dictionary behind its brace, by their numbers.
    mutating func dictionary() -> [String]? {
      var found: [(number: Int, text: String)] = []
      while !skip("}") {
        guard found.isEmpty || skip(","), found.count < LabelList.most else { return nil }
        if !found.isEmpty, skip("}") { break }
        guard let number = number(), skip(":"), let text = text() else { return nil }
        found.append((number, text))
      }
      found.sort { $0.number < $1.number }
      guard found.indices.allSatisfy({ found[$0].number == $0 }) else { return nil }
      return found.map(\.text)
    }

    /// A whole number, plain or in quotes.
    private mutating func number() -> Int? {
      for quote in ["\"", "'"] as [Character] where skip(quote) {
        guard let number = digits(), skip(quote) else { return nil }
        return number
      }
      return digits()
    }

    private mutating func digits() -> Int? {
      var value = 0
      let start = position
      while position < bytes.count, (0x30...0x39).contains(bytes[position]), value <= LabelList.most
      {
        value = value * 10 + Int(bytes[position] - 0x30)
        position += 1
      }
      return position > start ? value : nil
    }

    /// A text in quotes of either kind, without escapes but those that both languages have.
    private mutating func text() -> String? {
      guard let quote = skip("\"") ? UInt8(0x22) : skip("'") ? 0x27 : nil else { return nil }
      var text: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if byte == quote { return String(decoding: text, as: UTF8.self) }
        guard byte == UInt8(ascii: "\\") else {
          text.append(byte)
          continue
        }
        guard position < bytes.count else { return nil }
        let escaped = bytes[position]
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "u"):
          guard let scalar = scalar() else { return nil }
          text += Array(String(Character(scalar)).utf8)
        case UInt8(ascii: "\\"), UInt8(ascii: "/"), 0x22, 0x27: text.append(escaped)
        default: return nil
        }
      }
      return nil
    }

    /// A character behind `\u`; two of JSON's halves are one.
    private mutating func scalar() -> Unicode.Scalar? {
      guard let first = unit() else { return nil }
      guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
      guard bytes[position...].starts(with: Array("\\u".utf8)) else { return nil }
      position += 2
      guard let second = unit(), UTF16.isTrailSurrogate(second) else { return nil }
      return Unicode.Scalar(0x1_0000 + UInt32(first & 0x3ff) << 10 + UInt32(second & 0x3ff))
    }

    /// Four digits to the base 16.
    private mutating func unit() -> UInt16? {
      guard bytes.count - position >= 4 else { return nil }
      let digits = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
      guard digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
      position += 4
      return UInt16(digits, radix: 16)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || (0x09...0x0d).contains(byte)
    }
  }
}
