import Foundation

/// What was said in the recording that ships with the example, and when.
struct Transcript {
  /// Something that was said.
  struct Saying {
    /// Where it begins and ends, in seconds.
    let time: ClosedRange<Double>
    /// The text; in parentheses if the network does not know it.
    let text: String
    /// Whether it is one of the network's words.
    var isWord: Bool { KeywordNetwork.words.contains(text) }
  }

  /// All that was said, in order.
  let sayings: [Saying]

  /// Reads a file: begin, end, text and voice in each line, between tabs.
  init(path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    sayings = text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: "\t")
      guard fields.count >= 3, let begin = Double(fields[0]), let end = Double(fields[1]),
        begin <= end
      else { return nil }
      return Saying(time: begin...end, text: String(fields[2]))
    }
  }

  /// The word that was said when one was heard: the last one that began before, and not long ago.
  func saying(before time: Double) -> Saying? {
    sayings.last { $0.time.lowerBound <= time && time <= $0.time.upperBound + 0.5 }
  }
}
