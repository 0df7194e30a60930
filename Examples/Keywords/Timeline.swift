import Foundation

/// A sound and the words heard in it as text, downwards in time.
struct Timeline {
  /// The frames of a line: 0.2 s.
  private static let framesOfLine = 10
  private static let width = 24

  /// The frames of the sound.
  let frames: [Recognizer.Frame]
  /// What was said, if it is known.
  let transcript: Transcript?

  /// The words that were heard, with the second at which each was.
  var hearings: [(time: Double, hearing: Listener.Hearing)] {
    frames.enumerated().compactMap { index, frame in
      frame.hearing.map { (time: Self.seconds(index + 1), hearing: $0) }
    }
  }

  /// The lines: time, loudness, what was said, what was heard.
  var text: String {
    var lines = [line("", "loudness", transcript == nil ? "" : "said", "heard")]
    for start in stride(from: 0, to: frames.count, by: Self.framesOfLine) {
      let part = start..<min(start + Self.framesOfLine, frames.count)
      let energy = frames[part].reduce(0) { $0 + $1.energy } / Float(part.count)
      let time = Self.seconds(part.lowerBound)..<Self.seconds(part.upperBound)
      let said = (transcript?.sayings ?? []).filter { time.contains($0.time.lowerBound) }
      let heard = frames[part].enumerated().compactMap { index, frame in
        frame.hearing.map { hearing in
          let name = KeywordNetwork.words[hearing.word].padding(
            toLength: 6, withPad: " ", startingAt: 0)
          return String(
            format: "%@ %3.0f %%  at %.2f s", name, hearing.probability * 100,
            Self.seconds(part.lowerBound + index + 1))
        }
      }
      lines.append(
        line(
          String(format: "%.1f s", time.lowerBound), Self.bar(energy),
          said.map(\.text).joined(separator: ", "), heard.joined(separator: ", ")))
    }
    return lines.joined(separator: "\n")
  }

  /// How many words were heard as they were said, or `nil` if nobody knows what was said.
  var verdict: String? {
    guard let transcript else { return nil }
    let words = transcript.sayings.filter(\.isWord)
    let others = transcript.sayings.count - words.count
    return """
      \(rightCount(transcript)) of \(words.count) words heard as they were said; \
      \(hearings.count - rightCount(transcript)) heard that were not; \(others) other words said
      """
  }

  /// The sayings that were heard, each counted once.
  private func rightCount(_ transcript: Transcript) -> Int {
    let starts = hearings.compactMap { hearing -> Double? in
      guard let saying = transcript.saying(before: hearing.time),
        saying.text == KeywordNetwork.words[hearing.hearing.word]
      else { return nil }
      return saying.time.lowerBound
    }
    return Set(starts).count
  }

  private func line(_ time: String, _ bar: String, _ said: String, _ heard: String) -> String {
    let paddedTime = String(repeating: " ", count: max(0, 8 - time.count)) + time
    let columns = [
      paddedTime, bar.padding(toLength: Self.width, withPad: " ", startingAt: 0),
      transcript == nil ? "" : said.padding(toLength: 12, withPad: " ", startingAt: 0), heard,
    ]
    let text = columns.filter { !$0.isEmpty }.joined(separator: "  ")
    return String(text.reversed().drop { $0 == " " }.reversed())
  }

  /// A bar of loudness from -50 to -8 decibels of full scale.
  private static func bar(_ energy: Float) -> String {
    let decibels = 10 * log10(max(energy, 1e-9))
    let share = min(max((decibels + 50) / 42, 0), 1)
    return String(repeating: "█", count: Int((share * Float(width)).rounded()))
  }

  private static func seconds(_ frame: Int) -> Double {
    Double(frame * FrontEnd.frame) / Double(FrontEnd.rate)
  }
}
