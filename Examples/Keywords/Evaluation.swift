import Forge
import Foundation

/// What the network hears in clips of voices that were not used for training.
struct Evaluation {
  /// How often each word, or nothing, was heard in the clips of each.
  private(set) var counts: [[Int]]
  /// How many clips of words were recognized at each level of noise, and of how many.
  private(set) var levels = Self.decibels.map { _ in (right: 0, all: 0) }

  /// The levels of noise, in decibels below the voice.
  private static let decibels: [Range<Float>] = [25..<41, 15..<25, 5..<15]

  /// Hears all clips: features in 8 bits [clips][frames][40], the word said in each, and how many
  /// decibels the noise is below it.
  init(features: String, labels: String, noise: String, network: CompiledModel) throws {
    let clips = try NumPyArray(path: features)
    let words = try NumPyArray(path: labels).values
    let noises = try NumPyArray(path: noise).values
    guard clips.sizes.count == 3, clips.sizes[2] == FrontEnd.bands, clips.sizes[0] == words.count
    else { throw CheckError("\(features): received \(clips.sizes), needs [clips][frames][40]") }
    guard noises.count == words.count else {
      throw CheckError("\(noise): received \(noises.count) values, needs \(words.count)")
    }
    let values = try clips.values
    let (frames, bands) = (clips.sizes[1], FrontEnd.bands)
    counts = Array(
      repeating: Array(repeating: 0, count: KeywordNetwork.classes),
      count: KeywordNetwork.classes)
    let context = try Context(network)
    var frame = [Float](repeating: 0, count: bands)
    var probabilities = [Float](repeating: 0, count: KeywordNetwork.classes)
    for (clip, word) in words.enumerated() {
      guard let said = Int(exactly: word), counts.indices.contains(said) else {
        throw CheckError("\(labels): received the word \(word), needs 0 to \(counts.count - 1)")
      }
      // Each clip is a stream of its own.
      try context.state.reset()
      var listener = Listener()
      var heard = KeywordNetwork.nothing
      for start in stride(from: clip * frames * bands, to: (clip + 1) * frames * bands, by: bands) {
        for band in 0..<bands { frame[band] = values[start + band] * Self.step }
        var output = probabilities.mutableSpan
        try context.predict(frame.span, into: &output)
        if let hearing = listener.hear(probabilities) {
          heard = hearing.word
          break
        }
      }
      counts[said][heard] += 1
      if said != KeywordNetwork.nothing,
        let level = Self.decibels.firstIndex(where: { $0.contains(noises[clip]) })
      {
        levels[level].all += 1
        levels[level].right += heard == said ? 1 : 0
      }
    }
  }

  /// A step of the 8 bits; `Training/evaluate.py` writes them.
  private static let step: Float = 14.5 / 255

  /// The clips that were recognized, and all.
  var right: (words: Int, nothing: Int) {
    let all = counts.indices.map { counts[$0][$0] }
    return (all.dropLast().reduce(0, +), all.last ?? 0)
  }

  /// The shares, and for each word what else was heard.
  var text: String {
    let sums = counts.map { $0.reduce(0, +) }
    let words = sums.dropLast().reduce(0, +)
    let nothing = sums.last ?? 0
    var lines = [
      "clips of voices that were not used for training, with noise 5 to 40 dB below the voice",
      "  one of the ten words:   " + Self.share(right.words, of: words) + " heard",
      "  other words and noise:  " + Self.share(right.nothing, of: nothing) + " not taken for one",
      "",
    ]
    for (range, level) in zip(Self.decibels, levels) {
      lines.append(
        String(
          format: "  words in noise %2.0f to %2.0f dB below:  ", range.lowerBound,
          min(40, range.upperBound)) + Self.share(level.right, of: level.all))
    }
    lines.append("")
    let names = KeywordNetwork.words + ["nothing"]
    for (said, name) in names.enumerated() {
      let wrong = names.indices.filter { $0 != said && counts[said][$0] > 0 }
        .map { "\(names[$0]) \(counts[said][$0])" }
      lines.append(
        "  \(name.padding(toLength: 8, withPad: " ", startingAt: 0)) "
          + Self.share(counts[said][said], of: sums[said])
          + (wrong.isEmpty ? "" : "   else: " + wrong.joined(separator: ", ")))
    }
    return lines.joined(separator: "\n")
  }

  private static func share(_ part: Int, of whole: Int) -> String {
    String(format: "%3d of %3d (%5.1f %%)", part, whole, 100 * Double(part) / Double(max(whole, 1)))
  }
}
