/// Holds back the end of a text while it may become one of the texts that end it.
struct StopTexts {
  private let texts: [[UInt8]]
  /// The bytes that were not given out.
  private var held: [UInt8] = []

  init(_ texts: [String]) { self.texts = texts.map { Array($0.utf8) } }

  /// Adds text.
  ///
  /// - Returns: what can be given out, and whether a text has ended it.
  mutating func add(_ text: String) -> (text: String, isEnd: Bool) {
    guard !texts.isEmpty else { return (text, false) }
    held += text.utf8
    if let end = texts.compactMap({ Self.place(of: $0, in: held) }).min() {
      defer { held = [] }
      return (String(decoding: held[..<end], as: UTF8.self), true)
    }
    let kept = texts.map { Self.overlap(of: held, with: $0) }.max() ?? 0
    let given = held.dropLast(kept)
    defer { held.removeFirst(given.count) }
    return (String(decoding: given, as: UTF8.self), false)
  }

  /// What was held back.
  mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }

  private static func place(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= part.count else { return nil }
    return (0...bytes.count - part.count).first { bytes[$0...].starts(with: part) }
  }

  /// The length of the longest end of some bytes that begins a text.
  private static func overlap(of bytes: [UInt8], with text: [UInt8]) -> Int {
    (0...min(bytes.count, text.count - 1)).reversed().first {
      bytes.suffix($0).elementsEqual(text.prefix($0))
    } ?? 0
  }
}
